"""The way of one question through the agent stays short (``python -m bench.question_path`` prints it)."""

import pytest

from bench.question_path import MOST_RETURNS, MOST_STOPS, follow

pytestmark = pytest.mark.structure


async def test_a_question_is_handed_on_without_detours() -> None:
    way = await follow()
    assert way.stops[0].module == "processors/agent/processor.py"
    assert len(way.stops) <= MOST_STOPS, way.stops
    assert way.returns <= MOST_RETURNS, way.stops


async def test_the_questions_text_is_stored_by_the_records_that_need_it_alone() -> None:
    """The request of the client, the validated one, what is searched for, two requests to services, what a replay needs."""
    way = await follow()
    assert set(way.copies) <= {
        "AgentRequest", "TurnRequest", "SearchQuery", "FactsRequest", "EpisodesRequest", "RetrieveFacts", "RetrieveEpisodes",
        "RetrievalInfo", "_Parts",
    }  # fmt: skip
