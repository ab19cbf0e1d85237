"""The checks of what a model understood: a quotation, numbers, authority.  They know no language."""

from datetime import UTC, date, datetime

import pytest

from trustgraph_react_mem.learning.checks import may_change, trust_of, unknown_numbers
from trustgraph_react_mem.learning.dialogue import DialogueLine, Role
from trustgraph_react_mem.memory.records import Fact, Trust
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.text.quote import quote_occurs
from trustgraph_react_mem.memory.trust.owner_seal import VERIFIED, OwnerSeal

SEAL = OwnerSeal(bytes(32))
PERSONAL, SHARED = Scope(workspace="w", user="mara", collection="c"), Scope(workspace="w", user="", collection="c")


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("We've moved!", "We've moved! Lüneburg, right by the water."),
        ("we’ve moved", "WE'VE   MOVED to Lüneburg"),
        ("Cafe\u0301 Sperl", "Café Sperl, as ever"),
        ("'no, she can't'", "no, she can't, it's the iodine"),
        ("敬語はいりません", "それと敬語はいりません。"),
        ("تركت شركة النخيل", "تركت شركة النخيل وفتحت مكتبي"),
        ("ﬁfteen", "fifteen of them"),
        ("J", "j."),
    ],
)
def test_a_quotation_is_found_in_another_form(quote: str, line: str) -> None:
    assert quote_occurs(quote, line)


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("", "anything"),
        ("...", "what..."),
        ("the code is now 4417", "how hot it was"),
        ("n", "no"),
        ("moved we've", "we've moved"),
    ],
)
def test_other_words_are_no_quotation(quote: str, line: str) -> None:
    assert not quote_occurs(quote, line)


SAID = date(2026, 6, 17)


@pytest.mark.parametrize(
    ("text", "sources", "missing"),
    [
        ("The user pays 1025 for the flat", ["the rent went up a bit"], ["1025"]),
        ("The user pays 1,025 for the flat", ["it's 1025 now"], []),
        ("The user pays 1025 for the flat", ["1.025 €"], []),
        ("costs 6.75", ["the canteen got pricier"], ["6", "75"]),
        ("takes 25 mg", ["I take 0,25 mg"], ["25"]),
        ("takes 25 mg", ["I take 2.5 mg"], ["25"]),
        ("takes 5 mg", ["I take 2.5 mg"], ["5"]),
        ("takes 2.5 mg", ["I take 2,5 mg"], []),
        ("at 6:30 pm", ["at 6.30 pm"], []),
        ("am 8. Juli", ["am 8.7."], []),
        ("Moved on 2026-06-14", ["we moved on Sunday"], []),
        ("Moved on 14.06.2026", ["we moved on Sunday"], []),
        ("Moved on June 14, 2026", ["we moved on Sunday"], []),
        ("Se mudó el 14 de mayo de 2026", ["nos mudamos"], []),
        ("引っ越しは2026年6月14日", ["引っ越した"], []),
        ("Moved on 2019-06-14", ["we moved on Sunday"], ["2019", "14"]),
        ("Retires on 2034-06-30", ["I retire on 30 June 2034"], []),
        ("Since 2024 in Oslo", ["for two years"], []),
        ("Since 2021 in Oslo", ["for some years"], ["2021"]),
        ("Room 41", ["room ٤١"], []),
        ("Room 42", ["room ٤١"], ["42"]),
        ("Flat 07", ["flat 7"], []),
        ("The code is 17", ["no code"], []),  # the day of the line: a date it may be
        ("The code is 18", ["no code"], ["18"]),
    ],
)
def test_invented_numbers_are_found(text: str, sources: list[str], missing: list[str]) -> None:
    assert unknown_numbers(text, sources, SAID) == missing


def _line(role: Role, speaker: str, text: str = "I moved", mark: str = "") -> DialogueLine:
    return DialogueLine(role=role, speaker=speaker, text=text, turn_id="t", invocation_id="i", said_at=None, mark=mark)


def _entry(scope: Scope, trust: Trust, speaker: str, *, verified: bool = False) -> Fact:
    metadata = {VERIFIED: SEAL.mark(scope, speaker, "lives in Oslo")} if verified else {}
    return Fact(
        id="f",
        scope=scope,
        kind="semantic",
        content="lives in Oslo",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        trust=trust,
        speaker=speaker,
        metadata=metadata,
    )


@pytest.mark.parametrize(
    ("role", "speaker", "trust", "whose", "allowed"),
    [
        ("user", "Mara", "user", "Mara", True),
        ("user", "mara", "user", "Mara", True),
        ("user", "User", "user", "Mara", True),
        ("user", "Mara", "user", "", True),
        ("user", "Jonas", "user", "Mara", False),
        ("user", "Jonas", "user", "", False),
        ("user", "User", "user", "Jonas", False),
        ("user", "Mara", "import", "Mara", True),
        ("user", "Mara", "assistant", "Assistant", True),
        ("user", "Mara", "tool", "", True),
        ("assistant", "Assistant", "user", "Mara", False),
        ("assistant", "Assistant", "user", "", False),
        ("assistant", "Assistant", "assistant", "Assistant", True),
        ("tool", "Tool web", "user", "Mara", False),
        ("tool", "Tool web", "assistant", "Assistant", False),
        ("tool", "Tool web", "tool", "", False),
    ],
)
def test_who_may_change_what(role: Role, speaker: str, trust: Trust, whose: str, allowed: bool) -> None:
    line = _line(role, speaker)
    assert may_change(_entry(PERSONAL, trust, whose), line, trust_of(line, own=True), SEAL) is allowed


def test_pasted_words_change_nothing() -> None:
    line = _line("user", "Mara")
    assert trust_of(line, own=False) == "document"
    assert not may_change(_entry(PERSONAL, "user", "Mara"), line, "document", SEAL)


def test_in_a_shared_memory_a_verified_person_alone_changes_their_entry() -> None:
    said = "I moved"
    ann = _line("user", "Ann", said, SEAL.mark(SHARED, "Ann", said))
    forged = _line("user", "Ann", said)
    entry = _entry(SHARED, "user", "Ann", verified=True)
    assert may_change(entry, ann, "user", SEAL)
    assert not may_change(entry, forged, "user", SEAL)
    assert not may_change(_entry(SHARED, "user", "Bo"), ann, "user", SEAL)
    assert not may_change(_entry(SHARED, "user", "Bo"), _line("user", "User"), "user", SEAL)
    assert may_change(_entry(SHARED, "user", ""), _line("user", "User"), "user", SEAL)
