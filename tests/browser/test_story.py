"""Some weeks of one person, seen in three panes.  Its pictures stand in the README: docs/images/ui-*.png."""

from datetime import UTC, datetime, timedelta

import pytest

from .conftest import Open, Visit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
SAID = (
    (61, "I live in Lisbon, near the river."),
    (58, "My dog Miso is allergic to chicken. It makes him scratch for days."),
    (58, "Miso eats lamb and rice in the morning, and sardines in the evening."),
    (44, "My sister Marta looks after Miso while I travel."),
    (30, "I play the cello in an amateur orchestra, on Thursdays."),
    (23, "The vet in Rua das Flores opens at nine and asks for an appointment."),
    (16, "In May I fly to Bergen for a week to see my old teacher."),
    (9, "I would rather take the train than a night bus."),
    (2, "Marta is away in the first week of June."),
)
"""Days ago -> what was said."""


async def live(visit: Visit) -> str:
    """Returns the id of the memory that changed."""
    for number, (days, text) in enumerate(SAID):
        at = (datetime.now(UTC) - timedelta(days=days, hours=days % 7)).isoformat(timespec="seconds")
        message = {"role": "user", "content": text, "timestamp": at}
        answer = await visit.caller("POST", "/v1/memories", {"messages": [message], "conversation_id": f"day-{number}"})
        assert answer.status == 202, answer.text
    [changed] = [
        each["id"] for each in (await visit.caller("GET", "/v1/memories")).json["results"] if each["memory"] == SAID[-1][1]
    ]
    await visit.caller("PATCH", f"/v1/memories/{changed}", {"text": "Marta is away in the second week of June."})
    await visit.caller("POST", "/v1/rules", {"action": "Answer in one or two sentences", "condition": "I write from the phone"})
    return str(changed)


async def test_what_a_person_sees_after_some_weeks(open_page: Open) -> None:
    visit = await open_page("ana", viewport={"width": 1200, "height": 760})
    page = visit.page
    changed = await live(visit)
    await visit.ask("What is my dog Miso allergic to?")
    await page.get_by_text("rests on 1 memory").wait_for()
    await page.locator(".jobs-line li", has_text="done").first.wait_for()
    await page.get_by_role("heading", name="Ask").scroll_into_view_if_needed()
    await visit.picture("ui-ask")

    await visit.go(f"memories/{changed}")
    await page.locator("ins", has_text="second").wait_for()
    await page.locator("a.row").nth(8).wait_for()
    await visit.picture("ui-memory")

    await visit.go("recall?q=What+may+Miso+eat+in+the+evening%3F&limit=3")
    await page.locator(".candidate.cut").first.wait_for()
    await visit.picture("ui-recall")
