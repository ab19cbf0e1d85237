"""The questions of the web page: who asks, what a client cannot say, and when an answer ends."""

import pytest

from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http.events.hub import EventHub
from trustgraph_react_mem.http.principal import Principal
from trustgraph_react_mem.memory.requests import ListFacts, WaitUntilIdle

from .conftest import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]


async def test_an_answer_streams_and_ends_with_one_message(site: Site) -> None:
    messages = await site.ask("Where does Ann live?", conversation_id="asked")
    assert [message.get("end_of_dialog", False) for message in messages].count(True) == 1
    assert messages[-1]["end_of_dialog"] is True
    assert "explain" in {message["message_type"] for message in messages}


async def test_a_client_cannot_name_who_speaks(site: Site) -> None:
    """Fields that only the listener sets are not read: the words count as those of the caller."""
    named = {"user": "bob", "speaker": "Mallory", "speaker_proof": "1.2", "conversation_id": "speaking"}
    await site.ask("I keep bees.", "gateway-key", "?user_id=eve", **named)
    bus = await site.buses.open("default")
    await bus.call(WaitUntilIdle(kind="record", user="eve"))
    facts = (await bus.call(ListFacts(user="eve"))).facts
    assert facts
    assert "Mallory" not in {fact.speaker for fact in facts}


async def test_a_key_that_may_only_read_is_answered_and_not_learned_from(site: Site) -> None:
    async with site.session.post(
        f"{site.url}/ui/ask",
        json={"question": "I like tea."},
        headers={"Authorization": "Bearer reader-key", "X-Memory-Collection": "read"},
    ) as response:
        assert "end_of_dialog" in await response.text()
    bus = await site.buses.open("default")
    await bus.call(WaitUntilIdle(user="ann", collection="read"))
    assert (await bus.call(ListFacts(user="ann", collection="read"))).facts == []


async def test_a_revoked_key_ends_its_answer(stack: EmbeddedStack) -> None:
    class RevokedAtOnce(Site):
        async def _resolve(self, credential: str) -> Principal | None:
            principal = await super()._resolve(credential)
            self.revoked.add(credential)
            return principal

    async with RevokedAtOnce(stack, EventHub(check_s=0)) as site:
        asked, key = {"question": "Where does Bob live?"}, {"Authorization": "Bearer bob-key"}
        async with site.session.post(f"{site.url}/ui/ask", json=asked, headers=key) as response:
            assert response.status == 401  # before the first message: not a stream that ends with an error
            assert (await response.json(content_type=None))["title"] == "not authenticated"


async def test_the_open_answers_of_a_key_are_limited(stack: EmbeddedStack) -> None:
    async with Site(stack, EventHub(connections_a_key=0)) as site:
        asked, key = {"question": "Where does Bob live?"}, {"Authorization": "Bearer bob-key"}
        async with site.session.post(f"{site.url}/ui/ask", json=asked, headers=key) as response:
            assert response.status == 429


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "question is missing"),
        ({"question": 5}, "should be a valid string"),
        ({"question": "x", "conversation_id": 5}, "should be a valid string"),
    ],
)
async def test_a_bad_question_is_refused(site: Site, body: dict[str, object], text: str) -> None:
    async with site.session.post(f"{site.url}/ui/ask", json=body, headers={"Authorization": "Bearer ann-key"}) as response:
        assert response.status == 400
        assert text in (await response.json(content_type=None))["detail"]
