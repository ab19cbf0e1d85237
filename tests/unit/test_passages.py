"""Making the documents of many records leaves time for others."""

import asyncio
import itertools
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from trustgraph_react_mem.indexing.document import fact_document
from trustgraph_react_mem.indexing.excerpts import best_passage
from trustgraph_react_mem.indexing.passages import DOCUMENTS_AT_ONCE, documents_of
from trustgraph_react_mem.memory.records import Fact, FactKind
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.tokens import count_tokens

SCOPE = Scope(workspace="w", user="ann", collection="c")
START = datetime(2026, 1, 1, tzinfo=UTC)
MANY = 40 * DOCUMENTS_AT_ONCE


class Turns:
    """A graph whose turns are all in one conversation."""

    def __init__(self, turns: list[Fact]) -> None:
        self._turns = turns

    async def turns_near(self, scope: Scope, source: str, first: int, last: int) -> list[Fact]:
        return self._turns


def fact(number: int, kind: FactKind) -> Fact:
    return Fact(
        id=f"{kind}-{number}", scope=SCOPE, kind=kind, content=f"word{number}", created_at=START, source="talk", position=number
    )


@pytest.mark.parametrize("kind", ["turn", "semantic"])
async def test_others_run_while_many_documents_are_made(kind: FactKind, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    seen: list[int] = []

    def counted(*arguments: Any, **more: Any) -> Any:
        made.append(1)
        return fact_document(*arguments, **more)

    async def other() -> None:
        while True:
            seen.append(len(made))
            await asyncio.sleep(0)

    monkeypatch.setattr("trustgraph_react_mem.indexing.passages.fact_document", counted)
    facts = [fact(number, kind) for number in range(MANY)]
    task = asyncio.create_task(other())
    documents, _ = await documents_of(SCOPE, facts, cast(Any, Turns(facts)))
    task.cancel()
    assert [each.id for each in documents] == [each.id for each in facts]
    assert max(after - before for before, after in itertools.pairwise(seen)) <= DOCUMENTS_AT_ONCE
    assert len(seen) >= MANY / DOCUMENTS_AT_ONCE


FILLING = " ".join(f"Section {number} describes the drainage of the meadow." for number in range(200))


def test_a_passage_holds_what_follows_the_sentence_that_names_what_is_asked() -> None:
    page = f"{FILLING} The place of the drum has changed. It is in Mr Abe's barn now. {FILLING}"
    passage = best_passage(page, "Where is the drum?", 100)
    assert "drum has changed. It is in Mr Abe's barn" in passage
    assert count_tokens(passage) <= 110


def test_a_page_whose_title_names_the_subject_is_shown_with_the_line_that_answers() -> None:
    page = f"Manual of the coffee machine: {FILLING} To descale it hold both buttons. {FILLING}"
    passage = best_passage(page, "How do I descale the coffee machine?", 100)
    assert passage.index("Manual of the coffee machine") < passage.index("hold both buttons")
    assert count_tokens(passage) <= 110
