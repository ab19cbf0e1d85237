"""A revision that damages numbers or citations is not kept."""

from dataclasses import dataclass

import pytest

from trustgraph_react_mem.refine.losses import find_losses
from trustgraph_react_mem.rerank.citations import Citations

SHOWN = ("Ann has 12 cats (2026-05-06)", "Ann pays 1,450 a month", "Today is Monday, 2026-11-23.")
CITED, NONE, MALFORMED = Citations(state="cited", indices=(0,)), Citations(state="none"), Citations(state="malformed")


@dataclass(frozen=True)
class Case:
    before: str
    after: str
    losses: tuple[str, ...] = ()
    citations_before: Citations | None = None
    citations_after: Citations | None = None


@pytest.mark.parametrize(
    "case",
    [
        Case("Ann has cats.", "Ann has 12 cats."),
        Case("Ann has 14 cats.", "Ann has 12 cats."),
        Case("Ann has 14 cats.", "I do not know."),
        Case("Ann has 12 cats.", "I do not know.", ("It leaves out 12.",)),
        Case("Ann has 12 cats.", "Ann has 14 cats.", ("It leaves out 12.", "It has 14, which nothing that was shown has.")),
        Case("Since 2026-05-06.", "Since 6/5/2026."),
        Case("Ann pays 1450.", "Ann pays 1.450."),
        Case("Ann hat ١٢ Katzen.", "Ann hat 12 Katzen."),
        Case("Cats, and the rent.", "1. Cats\n2. the rent\n3) a month"),
        Case("Ann moved.", "Ann moved in 1999, as you ask."),
        Case("Ann moved. ", f"Ann moved {'7' * 9000}.", (f"It has {'7' * 40}, which nothing that was shown has.",)),
        Case("Oslo.", "Oslo.", (), CITED, CITED),
        Case("Oslo.", "Bergen.", (), NONE, CITED),
        Case("Oslo.", "Bergen.", ("It does not cite the memories any more.",), CITED, NONE),
        Case("Oslo.", "Bergen.", ("It does not cite the memories any more.",), CITED, None),
        Case("Oslo.", "Bergen.", ("It cites a memory that was not shown.",), NONE, MALFORMED),
    ],
    ids=lambda case: case.after[:30],
)
def test_what_a_revision_loses_is_named(case: Case) -> None:
    losses = find_losses(
        case.before,
        case.after,
        question="What of Ann before 1999?",
        shown=SHOWN,
        citations_before=case.citations_before,
        citations_after=case.citations_after,
    )
    assert losses == case.losses
