"""The pane Memories: finding, correcting, undoing and erasing."""

import pytest

from .conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_memory_is_corrected_and_the_correction_undone(open_page: Open) -> None:
    visit = await open_page()
    await visit.remember("I live in Lisbon.")
    page = visit.page
    await visit.go("memories")
    await page.get_by_role("link", name="I live in Lisbon.").click()
    await page.get_by_role("button", name="Edit").click()
    await page.get_by_label("Text").fill("I live in Porto.")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text("Saved.").wait_for()
    await page.locator(".memory-text", has_text="I live in Porto.").wait_for()
    await page.locator("ins", has_text="Porto").wait_for()
    await page.locator("del", has_text="Lisbon").wait_for()
    await page.locator("a.row", has_text="I live in Porto.").wait_for()
    await visit.picture("memory")
    await page.get_by_role("button", name="Undo the last change").click()
    await page.locator(".memory-text", has_text="I live in Lisbon.").wait_for()
    await page.get_by_role("button", name="Revert").click()
    await page.locator(".memory-text", has_text="I live in Porto.").wait_for()


async def test_what_goes_is_counted_before_it_is_erased_and_a_receipt_follows(open_page: Open) -> None:
    visit = await open_page()
    told = [{"role": "user", "content": "I live in Bergen"}, {"role": "assistant", "content": "You live in Bergen"}]
    await visit.caller("POST", "/v1/memories", {"messages": told, "conversation_id": "c-1"})
    await visit.remember("I play the cello.")
    page = visit.page
    await visit.go("memories")
    await page.get_by_role("link", name="I live in Bergen").click()
    await page.get_by_role("button", name="Forget …").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("1 answer that repeats it").wait_for()
    await visit.picture("forget")
    await dialog.get_by_role("button", name="Erase 2 memories").click()
    await page.get_by_text("A second search found nothing left.").first.wait_for()
    await visit.picture("receipt")
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await page.get_by_text("1 memory", exact=True).wait_for()
    assert await page.locator("a.row").all_inner_texts()
    left = (await visit.caller("GET", "/v1/memories")).json["results"]
    assert [each["memory"] for each in left] == ["I play the cello."]


async def test_search_and_filters_narrow_the_list(open_page: Open) -> None:
    visit = await open_page()
    await visit.remember("I live in Lisbon.", "My dog Miso is allergic to chicken.")
    await visit.caller("POST", "/v1/rules", {"action": "Answer in one sentence"})
    page = visit.page
    await visit.go("memories")
    await page.get_by_text("3 memories").wait_for()
    await page.get_by_label("Search by meaning").fill("dog Miso chicken")
    await page.locator("a.row").first.get_by_text("Miso").wait_for()
    await page.wait_for_url("**/memories?q=dog+Miso+chicken")
    await page.get_by_role("button", name="Clear").click()
    await page.get_by_text("3 memories").wait_for()
    await page.get_by_text("Filters", exact=True).click()
    await page.get_by_label("Kind").select_option("procedural")
    await page.get_by_text("1 memory", exact=True).wait_for()
    await page.get_by_label("Kind").select_option("")
    await page.get_by_label("Status").select_option("superseded")
    await page.get_by_text("No memory matches").wait_for()
    await page.get_by_label("Status").select_option("active")
    await page.get_by_label("Until").fill("2001-01-01")
    await page.get_by_text("No memory matches").wait_for()
