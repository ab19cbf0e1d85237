"""The panes beside Ask, Memories and the recall debugger: the main flow of each, in a browser over a real stack."""

from typing import Any

import pytest

from .conftest import Open, Visit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

XSS = "<img src=x onerror=alert(1)> Miso is allergic to chicken."


async def answer_of(visit: Visit, path: str) -> Any:
    answer = await visit.caller("GET", path)
    assert answer.status == 200, answer.text
    return answer.json


async def test_a_conversation_is_read_ended_and_erased_with_a_receipt(open_page: Open) -> None:
    visit = await open_page()
    await visit.remember(XSS, "Miso likes fish.", conversation_id="walk.1")
    page = visit.page
    await page.get_by_label("Your question").fill("I sail on Sundays")
    await page.keyboard.press("Enter")
    await page.get_by_text("I will remember that.").first.wait_for()
    await page.locator(".jobs-line li", has_text="done").first.wait_for()
    await page.get_by_role("link", name="Conversations").click()
    await page.get_by_text("1 exchange").first.wait_for()
    await visit.picture("conversations")
    await page.locator(".entry-title").first.click()
    await page.get_by_text("I sail on Sundays").first.wait_for()
    await page.get_by_role("button", name="End the conversation").click()
    await page.get_by_role("dialog").get_by_role("button", name="End the conversation").click()
    await page.get_by_text("ended", exact=True).first.wait_for()
    await visit.picture("conversation")
    await page.get_by_role("button", name="Erase the conversation").click()
    dialog = page.get_by_role("dialog")
    assert "exchanges: 1" in await dialog.inner_text()
    await dialog.get_by_role("button", name="Erase", exact=True).click()
    await page.get_by_text("The conversation is erased.").wait_for()
    await page.get_by_role("button", name="Show the receipt").click()
    await page.get_by_role("heading", name="Receipts").wait_for()
    await page.locator("main details[open] td").first.wait_for()
    assert not [each for each in (await answer_of(visit, "/v1/memories"))["results"] if "sail" in each["memory"]]


async def test_jobs_are_listed_by_state_and_a_failed_one_is_run_again_or_dropped(open_page: Open) -> None:
    visit = await open_page()
    messages = [{"role": "user", "content": "I row on Sundays, and the model refuses this"}]
    answer = await visit.caller("POST", "/v1/memories", {"messages": messages})
    assert answer.status == 202, answer.text
    await visit.go("jobs")
    page = visit.page
    job = page.locator(".entry", has_text="understanding").first
    await job.wait_for()
    await visit.picture("jobs")
    await page.get_by_label("State").select_option("succeeded")
    await page.wait_for_url("**/ui/jobs?status=succeeded")
    await page.get_by_label("State").select_option("failed")
    await page.wait_for_url("**/ui/jobs?status=failed")
    await job.locator(".error").wait_for()
    await job.get_by_role("button", name="Run again").click()
    await page.get_by_text("The job runs again.").wait_for()
    await job.locator(".error").wait_for()
    await visit.picture("jobs-failed")
    await job.get_by_role("button", name="Drop the job").click()
    await page.get_by_role("dialog").get_by_role("button", name="Drop the job").click()
    await page.get_by_text("The job is dropped.").wait_for()
    await page.get_by_text("No job").wait_for()
    assert (await answer_of(visit, "/v1/operations?status=failed"))["results"] == []


async def test_memory_is_switched_off_and_a_collection_erased_after_its_name_was_typed(open_page: Open) -> None:
    visit = await open_page()
    await visit.remember(XSS, "I live in Lisbon.")
    await visit.go("erasures")
    page = visit.page
    await page.get_by_text("Nothing was erased yet").wait_for()
    await page.get_by_role("switch", name="Recall").uncheck()
    await page.get_by_text("Recall is off.").wait_for()
    assert (await answer_of(visit, "/v1/switches"))["read"] == "off"
    await page.get_by_role("switch", name="Recall").check()
    await page.get_by_text("Recall is on.").wait_for()
    await page.get_by_role("button", name="Erase the collection default").click()
    dialog = page.get_by_role("dialog")
    await dialog.locator(".tiles li", has_text="fact").wait_for()
    erase = dialog.get_by_role("button", name="Erase", exact=True)
    assert await erase.is_disabled()
    await dialog.get_by_label("Type default to confirm").fill("default")
    await erase.click()
    await page.get_by_text("complete", exact=True).first.wait_for()
    await page.locator("summary", has_text="Places").first.click()
    await visit.picture("erasures")
    assert (await answer_of(visit, "/v1/memories"))["results"] == []
    saved = await page.get_by_role("link", name="Save as a file").first.get_attribute("download")
    assert saved
    assert saved.endswith(".json")
