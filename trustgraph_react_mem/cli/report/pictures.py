"""The pictures of a report: inline SVG, with a title for those who do not see it.  No colour has a meaning of its own."""

from collections.abc import Sequence

from .markup import Html, element, join

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 180, 44, 24, 10
BAR_WIDTH, BAR_HEIGHT = 200, 12
WIDEST_COLUMN = 48


def line_chart(curves: Sequence[Sequence[float]], low: float, high: float, title: str, ends: tuple[str, str]) -> Html:
    """Two curves at most, of which the second is dashed.  ``ends``: labels of the first and last place."""
    lines = []
    for number, values in enumerate(curves):
        if values:
            points = " ".join(f"{_x(at, len(values)):.1f},{_y(value, low, high):.1f}" for at, value in enumerate(values))
            lines.append(element("polyline", points=points, class_=f"line line{number}"))
    return _figure(title, join(_axis((low, (low + high) / 2, high), low, high), *lines, _ends(*ends)))


def column_chart(counts: Sequence[tuple[str, int]], title: str) -> Html:
    """A column per label, such as a week.  Only the first and the last label are written."""
    most = max((number for _, number in counts), default=0) or 1
    step = (WIDTH - LEFT) / max(1, len(counts))
    columns = [
        element(
            "rect",
            element("title", f"{label}: {number}"),
            x=f"{LEFT + at * step + step * 0.1:.1f}",
            y=f"{_y(number, 0, most):.1f}",
            width=f"{min(step * 0.8, WIDEST_COLUMN):.1f}",
            height=f"{HEIGHT - BOTTOM - _y(number, 0, most):.1f}",
            class_="bar",
        )
        for at, (label, number) in enumerate(counts)
    ]
    return _figure(title, join(_axis((0, most), 0, most), *columns, _ends(counts[0][0], counts[-1][0]) if counts else ""))


def small_bar(value: float, most: float, *, two_sided: bool = False) -> Html:
    """One bar for the cell of a table; the number stands in the cell beside it."""
    share = min(1.0, abs(value) / most) if most > 0 else 0.0
    middle = BAR_WIDTH / 2 if two_sided else 0.0
    length = share * (BAR_WIDTH - middle)
    axis = [element("rect", x=f"{middle - 0.5:.1f}", y=0, width=1, height=BAR_HEIGHT, class_="axis")] if two_sided else []
    start = middle if value >= 0 else middle - length
    side = "bar" if value >= 0 else "bar against"
    bar = element("rect", x=f"{start:.1f}", y=1, width=f"{length:.1f}", height=BAR_HEIGHT - 2, class_=side)
    return element("svg", *axis, bar, viewBox=f"0 0 {BAR_WIDTH} {BAR_HEIGHT}", class_="cell", aria_hidden="true")


def _figure(title: str, inner: Html) -> Html:
    picture = element("svg", element("title", title), inner, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", class_="chart")
    return element("figure", picture, element("figcaption", title))


def _axis(values: Sequence[float], low: float, high: float) -> Html:
    parts = []
    for value in values:
        y = f"{_y(value, low, high):.1f}"
        parts.append(element("line", x1=LEFT, x2=WIDTH, y1=y, y2=y, class_="grid"))
        parts.append(element("text", f"{value:.3g}", x=LEFT - 6, y=y, dy="0.35em", text_anchor="end"))
    return join(*parts)


def _ends(first: str, last: str) -> Html:
    return join(
        element("text", first, x=LEFT, y=HEIGHT - 6),
        element("text", last, x=WIDTH, y=HEIGHT - 6, text_anchor="end"),
    )


def _x(at: int, count: int) -> float:
    return LEFT + (WIDTH - LEFT) * (at / (count - 1) if count > 1 else 0.5)


def _y(value: float, low: float, high: float) -> float:
    share = (min(max(value, low), high) - low) / (high - low) if high > low else 0.0
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
