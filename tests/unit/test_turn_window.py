"""Every part of the prompt is scaled to the model's context window."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.unit.prompts import make_request, rendered
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.recall.budget import fit_budget
from trustgraph_react_mem.recall.query import SearchQuery
from trustgraph_react_mem.recall.records import Recalled
from trustgraph_react_mem.recall.request import LONGEST_RESERVE, divide
from trustgraph_react_mem.recall.thread import read_thread
from trustgraph_react_mem.schema import Episode, Fact, InvocationSummary
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.turn.machine import TurnState
from trustgraph_react_mem.turn.prompt import compress_variables, react_mem_variables, react_variables
from trustgraph_react_mem.turn.tools import Argument, Tool
from trustgraph_react_mem.turn.working import Step, WorkingMemory

SCOPE = Scope(workspace="w", user="u", collection="c")
PROSE = "The committee met on Monday to discuss the repair of the old bridge. "
TEXTS = {
    "prose": PROSE,
    "json": '{"id": 4711, "name": "Ann", "price": 12.50, "tags": ["a", "b"]}, ',
    "table": "| Ann | 2026-05-07 | 1204.55 |\n",
    "code": "def total(rows):\n    return sum(row.price for row in rows)\n",
    "numbers": "48151623 42.108 7 ",
    "cjk": "昨日は友達と一緒に映画を見に行きました。",
    "data": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0",
}
kinds = st.sampled_from(sorted(TEXTS))
text = st.builds(lambda kind, size: (TEXTS[kind] * (size // 20 + 1))[:size], kinds, st.integers(0, 6000))
short = st.builds(lambda kind, size: (TEXTS[kind] * 20)[:size], kinds, st.integers(1, 400))


def tool(number: int, description: str) -> Tool:
    argument = Argument(name="query", type="string", description=description[:200])
    return Tool(name=f"tool-{number}", description=description, kind="text-completion", arguments=(argument,))


def recalled(texts: list[str], values: AgentMemSettings) -> Recalled:
    """What recall leaves of memories, rules, episodes and exchanges with these texts."""
    shares = divide(values)
    kept = fit_budget(
        [Fact(id=str(index), content=text, speaker="Ann", timestamp="2026-05-07") for index, text in enumerate(texts)],
        [Fact(id="rule", kind="procedural", condition=texts[0], action=texts[-1])],
        [Episode(id="episode", goal=texts[0], outcome=texts[-1], lessons=texts[0])],
        shares.memory,
    )
    chat = [InvocationSummary(query=content, result=content) for content in texts]
    return Recalled(
        facts=kept.facts,
        rules=kept.rules,
        episodes=kept.episodes,
        thread=read_thread(SCOPE, None, chat, window=6, budget=shares.exchanges),
        gate="search",
        query=SearchQuery(question="q"),
    )


@settings(max_examples=examples(120), deadline=None)
@given(
    window=st.sampled_from([1024, 1500, 2048, 4096, 8192, 32768]),
    small=st.booleans(),
    recorded=st.booleans(),
    question=text,
    texts=st.lists(text, min_size=1, max_size=6),
    trace=st.lists(st.tuples(short, short, text), max_size=5),
    condensed=text,
    instructions=text,
    tools=st.lists(short, max_size=12),
)
def test_the_whole_prompt_fits_the_window(
    window: int,
    small: bool,
    recorded: bool,
    question: str,
    texts: list[str],
    trace: list[tuple[str, str, str]],
    condensed: str,
    instructions: str,
    tools: list[str],
) -> None:
    asked = make_request(question, context_window=window, small_model=small, additional_context=instructions)
    steps = tuple(
        Step(number=index + 1, thought=thought, action="tool-1", arguments={"query": argument}, observation=observation)
        for index, (thought, argument, observation) in enumerate(trace)
    )
    turn = TurnState(
        recalled=recalled(texts, asked.settings),
        memory=WorkingMemory(condensed=condensed, steps=steps),
        hint="Answer again.",
        publish=recorded,
    )
    offered = [tool(index, description) for index, description in enumerate(tools)]
    limit = window - min(LONGEST_RESERVE, window // 4)
    prompt = rendered("agent-react-mem", dict(react_mem_variables(asked, turn, offered)))
    assert count_tokens(prompt) <= limit
    if steps:
        assert count_tokens(rendered("memory-compress", dict(compress_variables(asked, steps, condensed)))) <= limit
    assert sum(count_tokens(str(value)) for value in react_variables(asked, turn, offered).values()) <= limit


def test_a_pasted_page_is_shortened_and_keeps_its_ends() -> None:
    asked = make_request("Summarise this: " + PROSE * 2000 + "What is the deadline?")
    question = str(react_mem_variables(asked, TurnState(), ())["question"])
    assert question.startswith("Summarise this: The committee")
    assert question.endswith("What is the deadline?")
    assert 4000 < count_tokens(question) < 8192


def test_the_threshold_of_the_trace_follows_the_window() -> None:
    assert divide(AgentMemSettings(context_window=2048)).trace < 500
    assert divide(AgentMemSettings()).trace == 2000
