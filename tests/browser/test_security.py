"""What a stored text, another page or a stranger can do through the page: nothing."""

import aiohttp
import pytest

from .conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"> is my favourite band",
    "My bank is [here](javascript:document.title='owned')",
    '"><script>document.title="owned"</script> is what my dog Miso eats',
    "javascript:document.title='owned'",
    "</textarea><svg onload=\"document.title='owned'\">",
)


async def test_stored_markup_is_shown_as_text_in_every_pane(open_page: Open) -> None:
    visit = await open_page()
    ids = await visit.remember(*HOSTILE)
    await visit.caller("POST", "/v1/rules", {"action": HOSTILE[0], "condition": HOSTILE[1]})
    page = visit.page
    addresses = ["memories", *(f"memories/{each}" for each in ids), "recall?q=What+does+my+dog+Miso+eat%3F", "ask"]
    for address in addresses:
        await visit.go(address)
        await page.locator("main .loading").first.wait_for(state="detached")  # the stream of events keeps the network busy
        if address == "ask":
            await visit.ask("What does my dog Miso eat? " + HOSTILE[0])
            await page.get_by_text("cites no memory").or_(page.get_by_text("rests on")).first.wait_for()
        elif address != "memories":
            await page.locator(".memory-text, .candidate").first.wait_for()
            if await page.get_by_role("button", name="Edit").count():
                await page.get_by_role("button", name="Edit").click()
        assert await page.title() != "owned", address
        assert await page.locator("img[src='x'], main script, main svg[onload]").count() == 0, address
        links = await page.eval_on_selector_all("a[href]", "all => all.map(each => each.protocol)")
        assert set(links) <= {"http:"}, address
    assert HOSTILE[0] in await page.locator("body").inner_text()


async def test_the_policy_stops_what_a_fault_of_the_page_would_run(open_page: Open) -> None:
    """The policy itself: had a text become markup, it would still not run, and nothing would be fetched."""
    visit = await open_page()
    page = visit.page
    violated = await page.evaluate(
        """async () => {
          const found = [];
          document.addEventListener("securitypolicyviolation", (event) => found.push(event.effectiveDirective));
          const tried = [];
          try { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>"); } catch { tried.push("markup"); }
          const script = document.createElement("script");
          try { script.textContent = "document.title = 'owned'"; document.body.append(script); } catch { tried.push("script"); }
          const picture = new Image();
          picture.src = "http://192.0.2.1/x.png";
          await fetch("http://192.0.2.1/").catch(() => tried.push("fetch"));
          await new Promise((resolve) => setTimeout(resolve, 200));
          return [found, tried];
        }"""
    )
    found, tried = violated
    assert set(tried) == {"markup", "script", "fetch"}
    assert {"img-src", "connect-src"} <= set(found)
    assert await page.title() != "owned"
    assert visit.faults, "the tests would notice a violation"
    visit.faults.clear()


async def test_the_link_leaves_the_address_and_works_once(open_page: Open) -> None:
    visit = await open_page()
    assert "token" not in visit.page.url
    link = visit.link
    other = await visit.context.browser.new_context()  # type: ignore[union-attr]
    page = await other.new_page()
    await page.goto(f"{visit.url}/ui/#token={link}")
    await page.get_by_role("heading", name="Sign in").wait_for()
    await page.get_by_role("alert").get_by_text("the key is not valid").wait_for()
    assert "token" not in page.url
    await other.close()
    assert await visit.page.evaluate("document.cookie") == ""


async def test_signing_out_ends_the_session_and_the_socket(open_page: Open) -> None:
    visit = await open_page()
    [cookie] = await visit.context.cookies()
    await visit.page.get_by_role("button", name="Sign out").click()
    await visit.page.get_by_role("heading", name="Sign in").wait_for()
    await visit.picture("sign-in")
    async with aiohttp.ClientSession() as session:
        sent = {"Cookie": f"{cookie['name']}={cookie['value']}"}
        async with session.get(f"{visit.url}/v1/memories", headers=sent) as response:
            assert response.status == 401


async def test_a_key_signs_in_and_its_end_closes_the_page(open_page: Open) -> None:
    visit = await open_page()
    await visit.page.get_by_role("button", name="Sign out").click()
    key, secret = visit.keys.create("user", user=visit.user)
    await visit.page.get_by_label("Or a user key").fill(secret)
    await visit.page.get_by_role("button", name="Sign in").click()
    await visit.page.locator("nav").wait_for()
    visit.keys.revoke(key.id)
    await visit.page.get_by_role("heading", name="Sign in").wait_for()
