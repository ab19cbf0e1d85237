"""What a stranger does to the page: odd texts, wrong addresses, two tabs, another user, and what changes while it is open."""

import pytest

from .conftest import Open, Visit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
QUESTION = "What is my dog Miso allergic to?"
FACT = "My dog Miso is allergic to chicken."
ODD = {
    "an unbroken word": "x" * 6000 + " Miso",
    "turned around": "\u202egnihtyna si osiM\u202c \u2066Miso",
    "right to left": "كلبي ميسو لديه حساسية من الدجاج Miso",
    "many marks": "M" + "\u0301\u0316" * 40 + "iso",
    "one sign of many": "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 Miso \U0001f3f3\ufe0f\u200d\U0001f308",
    "markup and links": "[Miso](javascript:alert(1)) <b>Miso</b> &lt;Miso&gt; %00 ${Miso} {{Miso}}",
    "lines": "Miso\n\n\nlikes\tfish\n" * 40,
}


async def fits(visit: Visit, path: str, wanted: str) -> None:
    await visit.go(path)
    await visit.page.locator(wanted).first.wait_for()
    for part in ("document.documentElement", "document.querySelector('main')"):
        assert await visit.page.evaluate(f"{part}.scrollWidth") <= 360, path


async def test_odd_texts_are_shown_as_they_are_and_fit_a_phone(open_page: Open) -> None:
    visit = await open_page(viewport={"width": 360, "height": 740})
    page = visit.page
    ids = await visit.remember(*ODD.values(), conversation_id="odd")
    await fits(visit, "memories", "a.row")
    for name, text, record in zip(ODD, ODD.values(), ids, strict=True):
        stored = (await visit.caller("GET", f"/v1/memories/{record}")).json["memory"]
        await fits(visit, f"memories/{record}", ".memory-text")
        assert await page.locator(".memory-text").evaluate("each => each.textContent") == stored, name
        assert stored.split() == text.split(), name
    await fits(visit, "recall?q=What+does+Miso+like%3F", ".candidate")
    await visit.picture("odd-recall")
    await visit.go("ask")
    await visit.ask("What does Miso like? " + ODD["an unbroken word"])
    await page.get_by_text("cites no memory").wait_for()
    assert await page.evaluate("document.querySelector('main').scrollWidth") <= 360
    await visit.picture("odd-ask")


async def test_the_next_person_at_the_same_browser_sees_nothing_of_the_last(open_page: Open) -> None:
    visit = await open_page()
    page = visit.page
    await visit.remember(FACT)
    await visit.ask(QUESTION)
    await page.get_by_text("rests on 1 memory").wait_for()
    await page.get_by_role("button", name="Sign out").click()
    _, secret = visit.keys.create("user", user="next-person")
    await page.get_by_label("Or a user key").fill(secret)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_text("next-person", exact=True).wait_for()
    await page.get_by_text("Tell it something, or ask").wait_for()
    assert "Miso" not in await page.locator("body").inner_text()


async def test_a_connection_that_breaks_during_an_answer_loses_no_turn(open_page: Open) -> None:
    visit = await open_page()
    page = visit.page
    await visit.remember(FACT)
    await visit.ask(QUESTION)
    await page.locator("p.answer").wait_for()
    await visit.cut_connection()
    await page.get_by_text("The connection is lost.").wait_for()
    await visit.restore_connection()
    await page.get_by_text("The connection is lost.").wait_for(state="detached")
    await visit.go("conversations")
    await page.get_by_role("link", name=QUESTION).click()
    await page.get_by_text("Miso is allergic to chicken.").first.wait_for()
