"""`python -m bench understand`: what a model understands is measured through the product."""

from collections import Counter
from pathlib import Path
from typing import Any

from bench.understand.cases import Case, read_cases
from bench.understand.command import measure
from bench.understand.replayed import read_conversations
from bench.understand.report import as_text
from tests.doubles.understanding_model import recorded_model
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing import HashedEmbedder, Rule, ScriptedModel

CASES = Path(__file__).parents[1] / "unit" / "data" / "understanding_cases.json"


async def _measure(model: ScriptedModel, cases: tuple[Case, ...]) -> dict[str, Any]:
    return await measure(model, cases, embeddings=HashedEmbedder())


async def test_a_model_that_answers_as_recorded_is_right_in_every_kind_and_language() -> None:
    cases = read_cases(CASES)
    report = await _measure(recorded_model(cases, read_conversations()), cases)
    assert (report["wrong"], report["failed"]) == ([], [])
    assert (report["all"]["hold"], report["all"]["right"]) == (len(cases), 100.0)
    assert set(report["by_kind"]) == {case.kind for case in cases}
    assert set(report["by_language"]) == {"en", "de", "fr", "es", "it", "pl", "ja"}
    assert report["dropped"]["quote"] == 1  # a case is wrong on purpose
    assert report["cost"]["calls_per_session"] == 1.0
    text = as_text(report)
    assert "enough to let it change memory" in text
    assert "checks dropped" in text


async def test_a_model_that_changes_nothing_gets_what_is_gone_wrong_and_recalls_nothing() -> None:
    def nothing(request: ChatRequest) -> str:
        return '{"items": [], "episode": null}' if request.schema else "Nothing to add."

    cases = tuple(case for case in read_cases(CASES) if case.kind in ("change", "rule", "nothing"))
    report = await _measure(ScriptedModel(rules=[Rule(answer=nothing)]), cases)
    assert (report["all"]["recall"], report["all"]["precision"], report["all"]["entries"]) == (0.0, None, 0)
    assert report["by_kind"]["nothing"]["right"] == 100.0
    assert "too few to let it change memory" in as_text(report)
    assert Counter(line.partition(":")[0] for line in report["wrong"]) == {"en-change": 1, "es-rule": 2}
