"""Every field that the OpenAPI document names has an effect, or is refused where it could have none."""

from collections.abc import Mapping
from typing import Any

import pytest

from .served import Caller, Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAID_AT = "2023-05-06T07:08:09Z"


async def stored(caller: Caller, body: Mapping[str, Any]) -> dict[str, Any]:
    """The memory that ``POST /v1/memories`` makes of the body."""
    answer = await caller("POST", "/v1/memories", dict(body))
    assert answer.status == 200, answer.text
    found: dict[str, Any] = (await caller("GET", f"/v1/memories/{answer.json['results'][0]['id']}")).json
    return found


async def test_a_message_that_is_stored_as_it_is_keeps_its_time_its_speaker_and_its_fields(served: Served) -> None:
    iris = served.user("iris")
    message = {"content": "Iris moved to Turin", "timestamp": SAID_AT, "name": "Iris B."}
    memory = await stored(
        iris,
        {
            "messages": [message],
            "infer": False,
            "kind": "reflective",
            "importance": 0.9,
            "metadata": {"topic": "home"},
            "conversation_id": "moving",
        },
    )
    assert memory["said_at"].startswith("2023-05-06T07:08:09"), memory
    assert memory["created_at"] > "2024", "when it was stored is another time"
    assert (memory["speaker"], memory["kind"], memory["importance"]) == ("Iris B.", "reflective", 0.9)
    assert (memory["metadata"], memory["run_id"]) == ({"topic": "home"}, "moving")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"text": "x", "kind": "procedural"}, "kind"),
        ({"text": "x", "importance": 0.5}, "importance"),
        ({"messages": [{"content": "x", "timestamp": "yesterday"}], "infer": False}, "timestamp"),
        ({"messages": [{"role": "assistant", "content": "x", "name": "Bo"}], "infer": False}, "name"),
        ({"messages": [{"role": "system", "content": "x", "name": "Bo"}], "infer": False}, "name"),
    ],
)
async def test_a_field_that_could_have_no_effect_is_refused(served: Served, body: dict[str, Any], named: str) -> None:
    answer = await served.user("kai")("POST", "/v1/memories", body)
    assert answer.status == 400, answer.text
    assert named in answer.json["detail"]


async def test_what_is_not_known_or_not_learned_from_is_named(served: Served) -> None:
    mia = served.user("mia")
    messages = [{"content": "Mia knits", "mood": "good"}, {"role": "tool", "content": "12 C"}]
    answer = await mia("POST", "/v1/memories", {"messages": messages, "categories": [], "ü": 1})
    assert answer.status == 202, answer.text
    assert answer.headers["X-Memory-Ignored"] == "messages[0].mood,categories,messages[1]"
    odd = await mia("POST", "/v1/memories", {"text": "Mia knits", "infer": False, "a\r\nb": 1})
    assert odd.headers["X-Memory-Ignored"] == "1"


async def test_every_field_of_a_search_has_an_effect(served: Served) -> None:
    nils = served.user("nils")
    texts = ("Nils plays chess in Lund", "Nils plays chess in Malmö", "Nils plays chess in Kiel")
    for number, text in enumerate(texts):
        await nils.add(text, metadata={"number": str(number)}, **({"kind": "reflective"} if number == 2 else {}))

    async def search(**fields: Any) -> list[dict[str, Any]]:
        answer = await nils("POST", "/v1/memories/search", {"query": "Where does Nils play chess?", **fields})
        assert answer.status == 200, answer.text
        assert "X-Memory-Ignored" not in answer.headers
        found: list[dict[str, Any]] = answer.json["results"]
        return found

    assert len(await search()) == 3
    assert len(await search(limit=1)) == len(await search(limit=2)) - 1 == 1
    assert [each["kind"] for each in await search(types=["reflective"])] == ["reflective"]
    assert await search(threshold=1.0) == []
    assert [each["why"] is None for each in (*await search(why=True, limit=1), *await search(limit=1))] == [False, True]
    for fields in ({"rerank": "never"}, {"asked_at": "soon"}, {"timezone": "Mars/Base"}):
        assert (await nils("POST", "/v1/memories/search", {"query": "chess", **fields})).status == 400, fields
