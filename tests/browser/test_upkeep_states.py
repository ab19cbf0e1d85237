"""What holds for each pane of upkeep: it says when it cannot load, axe finds nothing serious, it fits 360 pixels and the
keyboard reaches everything, in both languages and colour schemes."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from .conftest import WAIT_MS, Open, Visit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PANES = ("conversations", "conversations?show=episodes", "rules", "jobs", "learning", "erasures", "settings", "health")
AXE = (Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
CONTROLS = "[...document.querySelectorAll('main a[href], main button:enabled, main input, main select, main summary')]" + (
    ".filter((each) => each.checkVisibility())"
)


async def seed(visit: Visit) -> str:
    """Something in every pane; once for the user.  Returns the id of a memory."""
    listed = (await visit.caller("GET", "/v1/memories?conversation_id=dog")).json["results"]
    if listed:
        return str(listed[0]["id"])
    centre, *_ = await visit.remember("Miso likes fish.", "Miso sleeps on the sofa.", conversation_id="dog")
    (erased,) = await visit.remember("My locker has a code.")
    for method, path, body in (
        ("POST", "/v1/rules", {"action": "Answer briefly", "condition": "I ask by phone"}),
        ("POST", "/v1/episodes", {"goal": "Book a room", "steps": ["search", "book"], "outcome": "booked", "lessons": "early"}),
        ("POST", "/v1/memories", {"messages": [{"role": "user", "content": "I row on Sundays"}], "conversation_id": "rowing"}),
        ("DELETE", f"/v1/memories/{erased}", None),
    ):
        answer = await visit.caller(method, path, body)
        assert answer.status in (200, 202), answer.text
    return centre


async def serious(page: Page) -> list[str]:
    """What axe calls serious or critical, with the elements."""
    await page.evaluate(AXE)
    found: dict[str, Any] = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {[node['target'] for node in each['nodes']]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


async def settled(page: Page) -> None:
    await page.locator("main h1").wait_for()
    await page.locator("main .loading").first.wait_for(state="detached")


@pytest.mark.parametrize("pane", PANES)
async def test_a_pane_is_accessible_fits_a_phone_and_is_reached_by_keyboard(open_page: Open, pane: str) -> None:
    wide = await open_page("upkeep-access")
    await seed(wide)
    await wide.go(pane)
    await settled(wide.page)
    assert await serious(wide.page) == []
    await reach_all(wide.page)

    phone = await open_page("upkeep-access", viewport={"width": 360, "height": 760}, color_scheme="dark", locale="de-DE")
    await phone.go(pane)
    await settled(phone.page)
    assert await phone.page.locator("html").get_attribute("lang") == "de"
    assert await phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert await phone.page.evaluate("document.querySelector('main').scrollWidth") <= 360
    assert await serious(phone.page) == []
    await phone.picture(f"phone-{pane.replace('?', '-').replace('=', '-')}")


async def reach_all(page: Page) -> None:
    """Tab moves to each control of the pane, at most the first 40."""
    count = min(40, await page.evaluate(f"{CONTROLS}.length"))
    await page.evaluate("document.querySelector('main').focus()")
    reached: set[int] = set()
    for _ in range(count + 40):
        await page.keyboard.press("Tab")
        reached.add(await page.evaluate(f"{CONTROLS}.indexOf(document.activeElement)"))
        if reached >= set(range(count)):
            return
    raise AssertionError(f"Tab reached {sorted(reached)} of {count} controls")


async def test_a_pane_says_when_it_cannot_load_and_loads_again(open_page: Open) -> None:
    visit = await open_page("upkeep-access")
    await seed(visit)
    for pane in PANES:
        await visit.page.route("**/v1/**", lambda route: route.abort())
        await visit.go(pane)
        alert = visit.page.get_by_role("alert").first
        await alert.wait_for()
        assert "The server does not answer" in await alert.inner_text()
        await visit.page.unroute("**/v1/**")
        # not a click of the mouse: an event may load the pane, and with it remove the button, before
        await visit.page.evaluate("document.querySelectorAll('.failure button').forEach((each) => each.click())")
        await expect(visit.page.locator(".failure")).to_have_count(0, timeout=WAIT_MS)
        await settled(visit.page)
        assert await visit.page.get_by_role("alert").count() == 0, pane
