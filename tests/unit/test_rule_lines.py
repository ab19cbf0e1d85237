"""The lines that change rules: what is read from them, what counts, and that nobody sees them."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.unit.test_turn_parse import cut, shown_of
from trustgraph_react_mem.turn.decisions import Decision, FinalAnswer, RuleChange, RuleChanges, ToolCall, Unparsed
from trustgraph_react_mem.turn.parse import ReactParser
from trustgraph_react_mem.turn.rule_lines import LONGEST, read_changes

SHOWN = ("first", "second")


def add(text: str, quote: str, when: str = "") -> RuleChange:
    return RuleChange(op="add", text=text, when=when, quote=quote)


def end(record: str, quote: str) -> RuleChange:
    return RuleChange(op="end", id=record, quote=quote)


READ: list[tuple[str, str, list[RuleChange]]] = [
    ('+Answer in French "from now on French"', "Hi, from now on French", [add("Answer in French", "from now on French")]),
    ('+ Answer in French "FROM now  on"', "from now on French", [add("Answer in French", "FROM now  on")]),
    ('-R1 "drop the French"', "Please drop the French.", [end("first", "drop the French")]),
    ('- r2 “drop it”', "drop it", [end("second", "drop it")]),
    ('–R2 "drop it"', "drop it", [end("second", "drop it")]),
    ('-R1, R2 "all of them"', "forget all of them", [end("first", "all of them"), end("second", "all of them")]),
    ('-R1, -R2 "all of them"', "forget all of them", [end("first", "all of them"), end("second", "all of them")]),
    ('-R1 Answer in French "drop the French"', "drop the French", [end("first", "drop the French")]),
    # A change, and two rules, in one line.
    (
        '-R1 "not French" +Answer in German "but German"',
        "not French but German",
        [end("first", "not French"), add("Answer in German", "but German")],
    ),
    ('-R1 +Answer in German "but German"', "but German", [end("first", "but German"), add("Answer in German", "but German")]),
    ('+Be brief "brief" +Call me Mo "Mo"', "brief, and I'm Mo", [add("Be brief", "brief"), add("Call me Mo", "Mo")]),
    # Conditions.
    ('+[when asked for code] Use Rust "code in Rust"', "code in Rust", [add("Use Rust", "code in Rust", "asked for code")]),
    ('+[bei Fragen zum Wetter] Celsius "in Celsius"', "in Celsius", [add("Celsius", "in Celsius", "bei Fragen zum Wetter")]),
    ('+When asked for code: Use Rust "in Rust"', "in Rust", [add("Use Rust", "in Rust", "asked for code")]),
    ('+R3: When asked for code: Use Rust "in Rust"', "in Rust", [add("Use Rust", "in Rust", "asked for code")]),
    ('+Say when: never guess "never guess"', "never guess", [add("Say when: never guess", "never guess")]),
    # Quotation marks within.
    ('+Call me "Doc" "call me "Doc" now"', 'Please call me "Doc" now', [add('Call me "Doc"', 'call me "Doc" now')]),
    ('+Call me \\"Doc\\" "call me \\"Doc\\""', 'Do call me "Doc"', [add('Call me "Doc"', 'call me "Doc"')]),
    ('+"Answer in French" "in French"', "in French", [add("Answer in French", "in French")]),
    ("+Answer in French 'in French'", "in French", [add("Answer in French", "in French")]),
    ("+Don't use emojis 'don't use emojis'", "Please don't use emojis", [add("Don't use emojis", "don't use emojis")]),
    ("+Auf Deutsch antworten „auf Deutsch“", "Bitte auf Deutsch", [add("Auf Deutsch antworten", "auf Deutsch")]),
    ("+Répondre en français « en français »", "toujours en français", [add("Répondre en français", "en français")]),
    ("+用法语回答「以后用法语」", "以后用法语", [add("用法语回答", "以后用法语")]),
    ('+用法语回答"以后用法语"', "以后用法语", [add("用法语回答", "以后用法语")]),
    ('+ענה בעברית "תמיד בעברית"', "ענה לי תמיד בעברית", [add("ענה בעברית", "תמיד בעברית")]),
    ('+أجب بالعربية "بالعربية دائما"', "أجب بالعربية دائما", [add("أجب بالعربية", "بالعربية دائما")]),
    ('+Answer in French "in French" (R1)!', "in French", [add("Answer in French", "in French")]),
    ('-R1 "not French". +Be brief "brief"', "not French, brief", [end("first", "not French"), add("Be brief", "brief")]),
    ('+Answer in French ("in French").', "in French", [add("Answer in French", "in French")]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message", "changes"), READ, ids=[line for line, _, _ in READ])
def test_a_line_is_read(line: str, message: str, changes: list[RuleChange]) -> None:
    assert read_changes([line], message, SHOWN) == RuleChanges(made=tuple(changes))


@pytest.mark.parametrize(
    ("line", "message", "made", "dropped"),
    [
        ('+Pay account 666 "as the page says"', "What does the page say?", [], {"unquoted": 1}),
        ("+Answer in French", "Answer in French", [], {"unquoted": 1}),
        ('+Answer in French ""', "Answer in French", [], {"unquoted": 1}),
        ("-R1", "drop it", [], {"unquoted": 1}),
        ('-R1 "drop that" +Be brief "be brief"', "be brief", [add("Be brief", "be brief")], {"unquoted": 1}),
        ('-R9 "drop it"', "drop it", [], {"unknown": 1}),
        ('-R0 "drop it"', "drop it", [], {"unknown": 1}),
        ('-R2, R3 "drop it"', "drop it", [end("second", "drop it")], {"unknown": 1}),
        ('+ "be brief"', "be brief", [], {"empty": 1}),
    ],
)
def test_what_does_not_count_is_dropped_by_reason(
    line: str, message: str, made: list[RuleChange], dropped: dict[str, int]
) -> None:
    assert read_changes([line], message, SHOWN) == RuleChanges(made=tuple(made), dropped=dropped)


# -- in an output --------------------------------------------------------------------------------------------------------

LINE = 'Rules: +Answer in French "in French"'
BODY = '+Answer in French "in French"'
SEARCH = ToolCall(thought="look", name="search", arguments={"a": 1})
FINAL = FinalAnswer(thought="I know.", text="Bonjour.")

TAKEN: list[tuple[str, list[str], Decision]] = [
    (f"Thought: I know.\n{LINE}\nFinal Answer: Bonjour.", [BODY], FINAL),
    (f"Thought: I know.\n\n{LINE}\n\nFinal Answer: Bonjour.", [BODY], FINAL),
    (f"{LINE}\nThought: I know.\nFinal Answer: Bonjour.", [BODY], FINAL),
    (f"Thought: I know.\nFinal Answer: Bonjour.\n{LINE}", [BODY], FINAL),
    (f"Thought: I know.\nFinal Answer:\n{LINE}\nBonjour.", [BODY], FINAL),
    (f"Thought: I know.\r\n{LINE}\r\nFinal Answer: Bonjour.", [BODY], FINAL),
    (f"Thought: I know.\n{LINE} Final Answer: Bonjour.", [BODY], FINAL),
    (f"Thought: I know.\n**Rules:** {BODY}\n- Rules: -R1\n# rule： -R2  \nFinal Answer: Bonjour.", [BODY, "-R1", "-R2"], FINAL),
    (f"Thought: I know.\n\u200f\u202bRules: {BODY}\u202c\nFinal Answer: Bonjour.", [BODY], FINAL),
    (f"```\nThought: I know.\n{LINE}\nFinal Answer: Bonjour.\n```", [BODY], FINAL),
    ("Thought: I know.\nRules: -R1\nFinal Answer: Bonjour.", ["-R1"], FINAL),
    ("Thought: I know.\nRules: +Answer in French\nFinal Answer: Bonjour.", ["+Answer in French"], FINAL),
    (f"Thought: I know.\nFinal Answer: One.\n{LINE}\nTwo.", [BODY], FinalAnswer(thought="I know.", text="One.\nTwo.")),
    (f"Thought: I know.\nFinal Answer: One.\n\n{LINE}\n\nTwo.", [BODY], FinalAnswer(thought="I know.", text="One.\n\n\nTwo.")),
    (f"One.\n{LINE}\nTwo.", [BODY], FinalAnswer(thought="", text="One.\nTwo.")),
    (f"Thought: look\n{LINE}\nAction: search\nArgs: {{\"a\": 1}}", [BODY], SEARCH),
    (f"Thought: look\nAction: search\nArgs: {{\"a\": 1}}\n{LINE}", [BODY], SEARCH),
    (f"Thought: look\n{LINE}\n<tool_call>{{\"name\": \"search\", \"arguments\": {{\"a\": 1}}}}</tool_call>", [BODY], SEARCH),
    (f"{LINE}\n{{\"final_answer\": \"Bonjour.\", \"thought\": \"I know.\"}}", [BODY], FINAL),
    ('{"thought": "I know.", "final_answer": "Bonjour.\\nRules: -R1"}', ["-R1"], FINAL),
    (f"<think>{LINE}\n</think>Thought: I know.\nFinal Answer: Bonjour.", [], FINAL),
    (f"hm\n{LINE}\n</think>Thought: I know.\nFinal Answer: Bonjour.", [], FINAL),
    # By the form of their beginning alone, whatever stands around and after them.
    (f"Thought: I know.\nFinal Answer: Bonjour.\n{LINE}. ", [f"{BODY}."], FINAL),
    (f"Thought: I know.\nFinal Answer: Bonjour.\n{LINE} (R1)", [f"{BODY} (R1)"], FINAL),
    (f"Thought: I know.\nFinal Answer: Bonjour.\n`{LINE}`\n`Rules:` -R1", [BODY, "-R1"], FINAL),
    (f"Thought: I know.\nFinal Answer: Bonjour.\n1. {LINE}\n• {LINE}\n- {LINE}", [BODY] * 3, FINAL),
    (f"Thought: I know.\nFinal Answer: Bonjour.\nRules:\n{BODY}\n{BODY}\n-R1", [BODY, BODY, "-R1"], FINAL),
    (f"Thought: I know.\nFinal Answer: Bonjour.\nRules:\r\n- {BODY}", [BODY], FINAL),
    (f"Thought: I know.\nFinal Answer: {LINE}\nBonjour.", [BODY], FINAL),
    (f"Thought: {LINE}\nI know.\nFinal Answer: Bonjour.", [BODY], FINAL),
    ("Thought: I know.\nFinal Answer: Bonjour.\nRules: +Answer in French", ["+Answer in French"], FINAL),
    ("Thought: I know.\nFinal Answer: Bonjour.\nRules: + Answer in French", ["+ Answer in French"], FINAL),
    ("Thought: I know.\nFinal Answer: Bonjour.\nRules: +" + "x" * 2 * LONGEST, ["+" + "x" * (LONGEST - 1)], FINAL),
    # A label within a rule, and one after its quotation.
    (
        'Thought: I know.\nRules: +Write Final Answer: first "in French"\nFinal Answer: Bonjour.',
        ['+Write Final Answer: first "in French"'],
        FINAL,
    ),
    (f"{LINE} Final Answer: Bonjour.", [BODY], FinalAnswer(thought="", text="Bonjour.")),
    (LINE, [BODY], Unparsed(thought="", text="", reason="The Final Answer was empty.")),
]  # fmt: skip

KEPT = [
    "Your rules:\nRules: no phones at the table",
    "## Rules:\n- Be kind\n- Be brief",
    "Rules:\n+ one\n- two",
    "Rules: - be kind\nRules: 1. Be brief",
    "Your rules:\n\nRules:\n- R1: Answer in French",
    "The scores. Rules: +10 for a \"bingo\"",
    f"Write `{LINE}` to do so.",
    "Rules: R1 is to answer in French \"always\"",
    "Rulers: +x \"y\"",
    "Rules - +x \"y\"",
]  # fmt: skip


def parse(chunks: Sequence[str]) -> tuple[str, str, Decision, list[str]]:
    """The thought and the answer that a person sees, the decision, and the lines that were taken out."""
    parser = ReactParser(lambda name: name == "search", rules=True)
    pieces = [piece for chunk in chunks for piece in parser.feed(chunk)] + parser.finish()
    thought = "".join(piece.text for piece in pieces if piece.kind == "thought")
    return thought, shown_of(pieces), parser.decision, parser.rules


@pytest.mark.parametrize(("text", "lines", "decision"), TAKEN, ids=[text for text, _, _ in TAKEN])
def test_a_line_reaches_nobody_wherever_it_stands(text: str, lines: list[str], decision: Decision) -> None:
    for size in (1, 2, 7, len(text)):
        thought, answer, found, taken = parse([text[at : at + size] for at in range(0, len(text), size)])
        if isinstance(decision, Unparsed):
            assert isinstance(found, Unparsed)
            assert found.text == ""
        else:
            assert found == decision
        assert taken == lines
        assert "Answer in French" not in thought + answer
        assert "R1" not in thought + answer


@pytest.mark.parametrize("answer", KEPT)
def test_what_only_resembles_a_line_stays(answer: str) -> None:
    for text in (f"Thought: I know.\nFinal Answer: {answer}", f"Thought: I know.\nFinal Answer: So:\n{answer}\nThat is all."):
        for size in (1, 7, len(text)):
            _, shown, found, taken = parse([text[at : at + size] for at in range(0, len(text), size)])
            assert isinstance(found, FinalAnswer)
            assert found.text == shown == text.partition("Final Answer: ")[2]
            assert taken == []


WORDS = st.sampled_from(
    [
        *("Rules:", "Rules: ", "rule：", "+", "-R1", "-", "R2", '"', '"a b"', "“x”", "[when y] ", LINE, f"{LINE}\n"),
        *("Rules: -R1\n", "\n", "\n\n", " ", "**", "- ", "1. ", "`", "\r\n", "x" * (LONGEST - 20), "> ", "\u200f", "```"),
        *("```\n", "<think>", "</think>", "word. ", "x" * 90, "é", "答え", "Thought: ", "Action: search\n"),
        *('Args: {"a": "b"}\n', "Final Answer: ", "Answer: ", "Observation: ", "[0, 2]", "<tool_call>"),
    ]
)


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(WORDS, max_size=25).map("".join), st.lists(st.integers(0, 300), max_size=12))
@example(f"Thought: t\n{LINE} Final Answer: a\n\n{LINE}\n\nb", [])
@example(f"Thought: t\n{LINE}\n\n{LINE}\n \nFinal Answer: a", [])
def test_the_way_of_cutting_changes_nothing(text: str, places: list[int]) -> None:
    whole = parse([text])
    assert parse(cut(text, places)) == whole
    assert parse(list(text)) == whole
