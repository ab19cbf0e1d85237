"""50,000 memories in the embedded stores: the list opens and is turned over as one of a few hundred is.

Anywhere in it, a page of rows takes hardly longer than the store needs to list them.
"""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
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
LONGER = 4  # times that the long list may take as its reference, on a machine that is busy with other things
LEAST_MS = 25.0  # below this, the frame rate of the browser is measured
PAGE_MS, VIEW_MS = 100, 1000  # wanted on a machine that has nothing else to do: printed beside what was measured

FIRST_ROW = """new MutationObserver((_, observer) => {
  if (!document.querySelector('a.row')) return;
  window.firstRow = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true })"""
SCROLLED = """async ([pages, share]) => {
  const list = document.querySelector('.virtual');
  const began = performance.now();
  list.scrollTop = pages ? list.scrollTop + pages * list.clientHeight : share * (list.scrollHeight - list.clientHeight);
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


@dataclass(frozen=True)
class Measured:
    """Milliseconds, medians: until the first rows of a new page, the next page of rows, and rows somewhere else."""

    view: float
    turned: float
    jumped: float


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def large(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    home = tmp_path_factory.mktemp("large")
    with environment(home):
        await fill(StoreSettings(home=home / "data", keys=home / "keys"), MANY, HashedEmbedder().profile)
    async with serve(home) as made:
        yield made


async def measured(visit: Visit, count: int) -> Measured:
    page, views = visit.page, []
    await page.add_init_script(FIRST_ROW)
    for _ in range(LOADS):
        await page.goto(f"{visit.url}/ui/memories")
        await page.get_by_text(f"{count:,} memories").wait_for()
        views.append(float(await page.evaluate("window.firstRow")))
    turned = [float(await page.evaluate(SCROLLED, [1, 0])) for _ in range(PAGES)]
    jumped = [float(await page.evaluate(SCROLLED, [0, number / PAGES])) for number in range(1, PAGES + 1)]
    await page.locator(f"[data-row='{count - 1}'] a").wait_for()
    assert await page.locator("a.row").count() < 60, "only the visible rows are in the document"
    return Measured(median(views), median(turned), median(jumped))


async def listed_ms(visit: Visit) -> float:
    """What a program waits for rows in the middle."""
    took = []
    for number in range(1, PAGES + 1):
        began = time.perf_counter()
        await visit.caller("GET", f"/v1/memories?limit=100&cursor={100 * (MANY * number // PAGES // 100 - 1)}")
        took.append((time.perf_counter() - began) * 1000)
    return median(took)


async def test_fifty_thousand_memories_open_and_scroll_as_a_few_hundred_do(large: Served, chromium: Browser) -> None:
    async with visit(large, chromium, "short") as few, visit(large, chromium, USER) as many:
        await few.remember(*(f"Memory number {number}: a thing that was said, and is kept." for number in range(FEW)))
        short, long, listed = await measured(few, FEW), await measured(many, MANY), await listed_ms(many)
        await many.picture("many")
    print(
        f"{MANY:,} memories, beside {FEW}: first rows after {long.view:.0f} and {short.view:.0f} ms (wanted: {VIEW_MS}), the "
        f"next page after {long.turned:.0f} and {short.turned:.0f} ms (wanted: {PAGE_MS}), another place after "
        f"{long.jumped:.0f} and {short.jumped:.0f} ms; the store lists a page in {listed:.0f} ms"
    )
    assert long.view < LONGER * max(short.view, LEAST_MS)
    assert long.turned < LONGER * max(short.turned, LEAST_MS)
    assert long.jumped < LONGER * max(short.jumped, listed, LEAST_MS)
