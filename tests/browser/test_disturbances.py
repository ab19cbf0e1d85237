"""What a stranger does to the page: odd texts, wrong addresses, two tabs, another user, and what changes while it is open."""

import asyncio

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


@pytest.mark.parametrize("path", ["no-such-pane", "%E0%A4%A", "memories/%E0%A4%A", "memories/no%2Fsuch"])
async def test_a_wrong_address_says_so(open_page: Open, path: str) -> None:
    visit = await open_page("wrong-address")
    await visit.go(path)
    page = visit.page
    said = page.get_by_text("Page not found").or_(page.get_by_text("This memory does not exist")).or_(page.get_by_role("alert"))
    await said.first.wait_for()


async def test_a_change_in_one_tab_is_seen_in_the_other_and_so_is_signing_out(open_page: Open) -> None:
    visit = await open_page()
    [record] = await visit.remember(FACT)
    await visit.go(f"memories/{record}")
    other = await visit.context.new_page()
    await other.goto(f"{visit.url}/ui/memories/{record}")
    await other.get_by_role("button", name="Edit").click()
    await other.get_by_label("Text").fill("My dog Miso is allergic to beef.")
    await other.get_by_role("button", name="Save").click()
    await visit.page.locator(".memory-text", has_text="beef").wait_for()
    await visit.page.locator("a.row", has_text="beef").wait_for()
    await visit.page.get_by_role("button", name="Sign out").click()
    for page in (visit.page, other):
        await page.get_by_role("heading", name="Sign in").wait_for()
        assert "Miso" not in await page.locator("body").inner_text()


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


async def test_two_users_who_ask_at_once_get_their_own_answers(open_page: Open) -> None:
    ana, bob = await open_page(), await open_page()
    await ana.remember(FACT)
    await bob.remember("We stay at the Pension Aurora in Lisbon.")

    async def turn(visit: Visit, question: str) -> str:
        await visit.ask(question)
        await visit.page.get_by_text("rests on 1 memory").wait_for()
        return str(await visit.page.locator("main").inner_text())

    told = await asyncio.gather(turn(ana, QUESTION), turn(bob, "Where do we stay?"))
    assert ["chicken" in each for each in told] == [True, False]
    assert ["Aurora" in each for each in told] == [False, True]


async def test_what_happened_while_the_connection_was_broken_is_seen_after_it(open_page: Open) -> None:
    visit = await open_page()
    page = visit.page
    await visit.go("memories")
    await page.get_by_text("Nothing is remembered yet").wait_for()
    await visit.remember("I live in Lisbon.")
    await page.get_by_text("1 memory", exact=True).wait_for()
    await visit.cut_connection()
    await page.get_by_text("The connection is lost.").wait_for()
    await visit.remember("I play the cello.")
    await visit.restore_connection()
    await page.locator("a.row", has_text="cello").wait_for()


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


async def test_what_is_erased_elsewhere_leaves_every_open_pane(open_page: Open) -> None:
    visit = await open_page()
    [record] = await visit.remember(FACT, conversation_id="dog")
    page, tab = visit.page, await visit.context.new_page()
    await visit.ask(QUESTION)
    await page.get_by_text("rests on 1 memory").wait_for()
    await tab.goto(f"{visit.url}/ui/recall?q=What+is+Miso+allergic+to%3F")
    await tab.locator(".candidate", has_text=FACT).wait_for()
    await visit.caller("DELETE", f"/v1/memories/{record}")
    await page.get_by_text("This memory was erased.").wait_for()
    await page.locator("main", has_text=FACT).wait_for(state="detached")
    await tab.locator(".candidate", has_text=FACT).wait_for(state="detached")


async def test_an_open_conversation_that_is_erased_elsewhere_goes(open_page: Open) -> None:
    visit = await open_page()
    page = visit.page
    await visit.ask("I sail on Sundays")
    await page.locator(".jobs-line li", has_text="done").first.wait_for()
    await visit.go("conversations")
    await page.locator(".entry-title", has_text="I sail on Sundays").click()
    await page.locator(".asked", has_text="I sail on Sundays").wait_for()
    [conversation] = (await visit.caller("GET", "/v1/conversations")).json["results"]
    await visit.caller("DELETE", f"/v1/conversations/{conversation['id']}")
    await page.get_by_role("alert").wait_for()
    await page.locator(".asked").wait_for(state="detached")
