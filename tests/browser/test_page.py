"""What holds for every pane: accessible, usable by keyboard and on a small screen, in two languages and both colour schemes."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Open, Visit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
UI = Path(__file__).parents[2] / "ui"
AXE = (UI / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
SERIOUS = ("serious", "critical")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
TEXTS = json.loads((UI / "src" / "texts.json").read_text("utf-8"))
PANES = {
    "ask": "ask",
    "memories": "memories",
    "memory": "memories/{id}",
    "recall": "recall?q=What+is+my+dog+Miso+allergic+to%3F&limit=2",
    "unknown": "no-such-pane",
}
"""Name of the picture -> address.  {id}: of a memory."""
READY = {"memories": "a.row", "memory": ".changes li", "recall": ".candidate"}


async def findings(visit: Visit) -> list[str]:
    """What axe finds, of the impacts that a person would be stopped by."""
    await visit.page.evaluate(AXE)
    found: Any = await visit.page.evaluate("tags => axe.run(document, {runOnly: tags})", TAGS)
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]} {each['nodes'][0]['failureSummary'][:200]}"
        for each in found["violations"]
        if each["impact"] in SERIOUS
    ]


async def show(visit: Visit, pane: str, record: str) -> None:
    await visit.page.goto(f"{visit.url}/ui/{PANES[pane].format(id=record)}")
    await visit.page.locator(READY.get(pane, "h1")).first.wait_for()


@pytest.mark.parametrize("pane", PANES)
async def test_a_pane_is_for_everyone(open_page: Open, pane: str) -> None:
    visit = await open_page()
    ids = await visit.remember("My dog Miso is allergic to chicken.", "I live in Lisbon, in the street of the bakers.")
    page = visit.page
    await show(visit, pane, ids[0])
    assert await findings(visit) == []
    await visit.picture(f"{pane}-light")
    await page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    await visit.picture(f"{pane}-dark")
    moving = await page.evaluate("document.getAnimations().filter(each => each.playState === 'running').length")
    assert moving == 0
    await page.set_viewport_size({"width": 360, "height": 740})
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    assert await findings(visit) == []
    await visit.picture(f"{pane}-small")
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_label("Language").select_option("de")
    assert await page.evaluate("document.documentElement.lang") == "de"
    await page.get_by_role("link", name="Erinnerungen").wait_for()
    await page.get_by_role("button", name="Menü").click()
    shown = await page.locator("body").inner_text()
    assert [name for name in TEXTS if name in shown] == [], "a text is missing in German"
    await visit.picture(f"{pane}-german")


async def test_the_keyboard_alone_asks_finds_corrects_and_erases(open_page: Open) -> None:
    visit = await open_page()
    await visit.remember("I live in Lisbon.", "I play the cello.")
    page = visit.page

    async def press_until(selector: str, key: str = "Tab") -> None:
        for _ in range(60):
            if await page.evaluate("selector => document.activeElement.matches(selector)", selector):
                outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"{selector} has the focus, but no visible outline"
                return
            await page.keyboard.press(key)
        pytest.fail(f"{selector} is not reached with {key}")

    await visit.go("ask")
    await press_until("a.skip")
    await press_until("nav a[href='/ui/memories']")
    await page.keyboard.press("Enter")
    await page.locator("a.row").first.wait_for()
    await press_until("a.row")
    await page.keyboard.press("ArrowDown")
    await press_until("[data-row='1'] a", "ArrowDown")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Edit").wait_for()
    await press_until("article .actions .button")
    await page.keyboard.press("Enter")
    await press_until("article textarea")
    await page.keyboard.press("End")
    await page.keyboard.type(" For now.")
    await press_until(".edit button[type=submit]")
    await page.keyboard.press("Enter")
    await page.locator(".memory-text", has_text="For now.").wait_for()
    await press_until("article .button.danger")
    await page.keyboard.press("Enter")
    await page.locator("dialog .counts").wait_for()
    await page.keyboard.press("Escape")
    await page.locator("dialog").wait_for(state="detached")
    assert len((await visit.caller("GET", "/v1/memories")).json["results"]) == 2
    await press_until("article .button.danger")
    await page.keyboard.press("Enter")
    await press_until("dialog button[type=submit]")
    await page.keyboard.press("Enter")
    await page.get_by_text("A second search found nothing left.").wait_for()
    assert len((await visit.caller("GET", "/v1/memories")).json["results"]) == 1
