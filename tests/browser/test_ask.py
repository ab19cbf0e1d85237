"""The pane Ask: a live turn."""

import pytest

from .conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_turn_shows_what_was_recalled_why_and_what_is_cited(open_page: Open) -> None:
    visit = await open_page()
    await visit.remember("My dog Miso is allergic to chicken.", "I live in Lisbon.")
    page = visit.page
    await page.get_by_label("Your question").fill("What is my dog Miso allergic to?")
    await page.keyboard.press("Enter")
    await page.get_by_text("Miso is allergic to chicken. ").wait_for()
    await page.get_by_text("rests on 1 memory").wait_for()
    cited = page.locator(".memory.cited")
    assert "allergic to chicken" in await cited.inner_text()
    assert await cited.locator(".bars li").count() >= 1
    await page.locator(".jobs-line li", has_text="done").first.wait_for()
    await page.get_by_role("button", name="The cited memories were useful").click()
    await page.get_by_text("Noted for 1 memory").wait_for()
    await visit.picture("ask")
