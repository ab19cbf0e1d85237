"""The pane Ask: a live turn, what it recalled and why, and a connection that breaks."""

import pytest

from .conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
QUESTION = "What is my dog Miso allergic to?"


async def test_a_turn_shows_what_was_recalled_why_and_what_is_cited(open_page: Open) -> None:
    visit = await open_page()
    [fact, _] = await visit.remember("My dog Miso is allergic to chicken.", "I live in Lisbon.")
    page = visit.page
    await visit.ask(QUESTION)
    await page.get_by_text("rests on 1 memory").wait_for()
    cited = page.locator(".memory.cited")
    assert "allergic to chicken" in await cited.inner_text()
    assert await cited.locator(".bars li").count() >= 1
    await page.locator(".jobs-line li", has_text="record").get_by_text("done").wait_for()
    assert await page.locator("a.cite").get_attribute("href") == f"/ui/memories/{fact}"
    async with page.expect_response(lambda response: response.url.endswith(f"/v1/memories/{fact}/feedback")) as rated:
        await page.get_by_role("button", name="The cited memories were useful").click()
    assert (await rated.value).status == 200
    await page.get_by_text("Noted for 1 memory").wait_for()
    await visit.picture("ask")

    await page.get_by_role("link", name="Why these and not others?").click()  # the answer repeats the fact by now
    await page.locator(".candidate.folded", has_text="Miso is allergic to chicken.").wait_for()
    await visit.picture("recall-folded")
    await page.get_by_role("link", name="Ask", exact=True).click()
    await page.get_by_text("rests on 1 memory").wait_for()
