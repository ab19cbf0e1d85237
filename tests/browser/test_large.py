"""50,000 memories in the embedded stores: the list opens and scrolls as one of a few hundred does."""

from collections.abc import AsyncIterator
from statistics import median

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from bench.filled import USER, fill
from tests.integration.http.served import Served, environment, serve
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

from .conftest import Visit, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
MANY, FEW, PAGES, LOADS = 50_000, 300, 20, 5
LONGER = 4  # times that the long list may take as the short one
LEAST_MS = 25.0  # less than this is the frame rate of the browser
PAGE_MS, VIEW_MS = 100, 1000  # wanted on a machine that has nothing else to do; printed beside what was measured

SCROLLED = """async (share) => {
  const list = document.querySelector('.virtual');
  const began = performance.now();
  list.scrollTop = share * (list.scrollHeight - list.clientHeight);
  const seen = () => {
    const box = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll('[data-row]')].filter((row) => {
      const place = row.getBoundingClientRect();
      return place.bottom > box.top + 1 && place.top < box.bottom - 1;
    });
    return rows.length > 3 && rows.every((row) => row.querySelector('a'));
  };
  do await new Promise(requestAnimationFrame); while (!seen());
  return performance.now() - began;
}"""
FIRST_ROW = """new MutationObserver((_, observer) => {
  if (!document.querySelector('a.row')) return;
  window.firstRow = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true })"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def large(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    home = tmp_path_factory.mktemp("large")
    with environment(home):
        await fill(StoreSettings(home=home / "data", keys=home / "keys"), MANY, HashedEmbedder().profile)
    async with serve(home) as made:
        yield made


async def measured(visit: Visit, count: int) -> tuple[float, float]:
    """Milliseconds until the first rows of a new page, and until those of a place in the list; medians."""
    page, views = visit.page, []
    await page.add_init_script(FIRST_ROW)
    for _ in range(LOADS):
        await page.goto(f"{visit.url}/ui/memories")
        await page.get_by_text(f"{count:,} memories").wait_for()
        views.append(float(await page.evaluate("window.firstRow")))
    pages = [float(await page.evaluate(SCROLLED, number / PAGES)) for number in range(1, PAGES + 1)]
    await page.locator(f"[data-row='{count - 1}'] a").wait_for()
    assert await page.locator("a.row").count() < 60, "only the visible rows are in the document"
    return median(views), median(pages)


async def test_fifty_thousand_memories_open_and_scroll_as_a_few_hundred_do(large: Served, chromium: Browser) -> None:
    async with visit(large, chromium, "few") as few, visit(large, chromium, USER) as many:
        await few.remember(*(f"Memory number {number}: a thing that was said, and is kept." for number in range(FEW)))
        short_view, short_page = await measured(few, FEW)
        long_view, long_page = await measured(many, MANY)
        await many.picture("many")
    print(
        f"first rows after {long_view:.0f} ms of {MANY:,} memories, {short_view:.0f} ms of {FEW} (wanted: {VIEW_MS} ms); "
        f"a page of rows after {long_page:.0f} ms and {short_page:.0f} ms (wanted: {PAGE_MS} ms)"
    )
    assert long_view < LONGER * max(short_view, LEAST_MS)
    assert long_page < LONGER * max(short_page, LEAST_MS)
