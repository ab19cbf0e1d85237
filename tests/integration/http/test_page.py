"""The web page's files, and the sessions of browsers: who signs in, what a cookie may do, and when it ends."""

from typing import Any

import aiohttp
import pytest

from trustgraph_react_mem.http.ui.sessions import LIFE_S

from .served import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Browser:
    """Keeps cookies and sends what a browser sends."""

    def __init__(self, served: Served) -> None:
        self.url = served.server.url
        self.session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        self.csrf = ""

    async def __aenter__(self) -> "Browser":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def send(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(method, self.url + path, json=body, headers=sent, allow_redirects=False) as response:
            return response.status, await response.json() if response.content_type.endswith("json") else await response.text()

    async def sign_in(self, secret: str) -> int:
        status, body = await self.send("POST", "/ui/session", Authorization=f"Bearer {secret}")
        self.csrf = body.get("csrf", "")
        return status

    async def write(self, text: str, **headers: str) -> int:
        status, _ = await self.send("POST", "/v1/memories", {"text": text, "infer": False}, **headers)
        return status


def link_of(served: Served, user: str = "ana", **options: Any) -> str:
    return served.keys.create("user", user=user, link_s=600, **options)[1]


async def test_a_link_signs_one_browser_in_for_its_user_and_collection(served: Served) -> None:
    link = link_of(served, "lena", collections=["work"])
    async with Browser(served) as browser, Browser(served) as other:
        assert await browser.sign_in(link) == 200
        assert await other.sign_in(link) == 401, "a second use"
        assert (await browser.send("GET", "/v1/memories"))[0] == 200
        assert (await browser.send("GET", "/v1/memories?collection=default"))[0] == 403
        assert (await browser.send("GET", "/v1/memories?user_id=bob"))[0] == 403
        status, described = await browser.send("GET", "/ui/session")
        assert status == 200
        assert (described["user"], described["collections"], described["csrf"]) == ("lena", ["work"], browser.csrf)
        assert (await other.send("GET", "/ui/session"))[0] == 401


async def test_the_cookie_is_for_this_site_alone_and_not_for_scripts(served: Served) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"{served.server.url}/ui/session",
            headers={"Authorization": f"Bearer {link_of(served)}", "Origin": served.server.url},
        ) as response,
    ):
        cookie = response.headers["Set-Cookie"]
        assert response.headers["Cache-Control"] == "no-store"
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert f"Max-Age={LIFE_S}" in cookie
    assert "Secure" not in cookie, "without TLS a browser would drop it"


async def test_a_session_writes_only_with_its_token_and_from_its_page(served: Served) -> None:
    async with Browser(served) as browser:
        await browser.sign_in(link_of(served, "mia"))
        assert await browser.write("I like tea") == 403
        assert await browser.write("I like tea", X_CSRF_Token="guessed") == 403
        assert await browser.write("I like tea", X_CSRF_Token=browser.csrf, Sec_Fetch_Site="same-site") == 403
        assert await browser.write("I like tea", X_CSRF_Token=browser.csrf, Origin="http://127.0.0.1:3000") == 403
        status, body = await browser.send("GET", "/v1/memories", Sec_Fetch_Site="cross-site")
        assert status == 403
        assert "same" not in str(body.get("results")), body
        assert (await browser.send("GET", "/v1/memories"))[1]["results"] == []
        assert (
            await browser.write("I like tea", X_CSRF_Token=browser.csrf, Origin=browser.url, Sec_Fetch_Site="same-origin")
            == 200
        )
        assert len((await browser.send("GET", "/v1/memories"))[1]["results"]) == 1


async def test_a_session_ends_by_signing_out_with_its_key_and_after_a_time(served: Served) -> None:
    async with Browser(served) as browser:
        await browser.sign_in(link_of(served))
        assert (await browser.send("DELETE", "/ui/session"))[0] == 403, "without the token"
        assert (await browser.send("DELETE", "/ui/session", X_CSRF_Token=browser.csrf))[0] == 204
        assert (await browser.send("GET", "/v1/memories"))[0] == 401
    key, secret = served.keys.create("user", user="ana")
    async with Browser(served) as browser:
        assert await browser.sign_in(secret) == 200
        assert await browser.sign_in(secret) == 200, "a key signs in as often as one likes"
        served.keys.revoke(key.id)
        assert (await browser.send("GET", "/v1/memories"))[0] == 401
        assert (await browser.send("GET", "/ui/session"))[0] == 401


@pytest.mark.parametrize("kind", ["service", "admin"])
async def test_a_key_of_no_user_does_not_sign_in(served: Served, kind: Any) -> None:
    async with Browser(served) as browser:
        assert await browser.sign_in(served.keys.create(kind)[1]) == 401


async def test_a_question_of_a_session_needs_its_token(served: Served) -> None:
    async with Browser(served) as browser:
        await browser.sign_in(link_of(served))
        for token in ("", "guessed"):
            assert (await browser.send("POST", "/ui/ask", {"question": "Who am I?"}, X_CSRF_Token=token))[0] == 403
        async with browser.session.get(f"{browser.url}/v1/events", headers={"Sec-Fetch-Site": "cross-site"}) as response:
            assert response.status == 403


async def test_files_are_cached_by_name_and_panes_are_the_page(served: Served) -> None:
    async with aiohttp.ClientSession() as session:

        async def get(path: str) -> tuple[int, Any, str]:
            async with session.get(served.server.url + path) as response:
                return response.status, response.headers, await response.text()

        _, headers, page = await get("/ui/")
        assert headers["Cache-Control"] == "no-cache"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert (await get("/ui/memories/some-id?kind=turn"))[2] == page
        script = page.partition('src="')[2].partition('"')[0]
        status, headers, _ = await get(script)
        assert status == 200
        assert headers["Cache-Control"].endswith("immutable")
        assert headers["Content-Encoding"] == "gzip"
        for path in ("/ui/../keys.py", "/ui/%2e%2e/%2e%2e/pyproject.toml", "/ui/manifest.json", "/ui/app-none.js"):
            assert (await get(path))[0] == 404, path
