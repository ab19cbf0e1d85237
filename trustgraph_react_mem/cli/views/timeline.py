"""Draws the versions of a record on a line in time, with the time in which it holds."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.padding import Padding

from ...schema import Fact, HistoryEntry
from ..console import Screen, escape, make_printable

LONGEST_LINE = 60  # characters
LABEL = 7  # characters before the line


def show_history(screen: Screen, entries: Sequence[HistoryEntry], fact: Fact | None = None) -> None:
    """A drawing in a terminal, a line per change elsewhere."""
    if screen.out.is_terminal and entries:
        draw_history(screen, entries, fact, datetime.now(UTC))
        return
    rows = [[str(e.version), e.at[:19], e.change, e.trigger, e.by, e.content] for e in entries]
    screen.table("history", ["version", "at", "change", "trigger", "by", "content"], rows, empty="none")


def draw_history(screen: Screen, entries: Sequence[HistoryEntry], fact: Fact | None, now: datetime) -> None:
    """``entries``: newest first.  ``fact``: the record as it is now; None if it is not a fact, or is not read."""
    moments = [at for entry in entries if (at := read_moment(entry.at)) is not None]
    begins, ends = _validity(fact)
    first = min([*moments, *([begins] if begins else [])], default=now)
    last = max([now, *moments, *([ends] if ends else [])])
    width = max(10, min(LONGEST_LINE, screen.out.width - LABEL - 3))
    screen.out.print(f"[bold]{'changes':{LABEL}}[/bold] {_marks(moments, first, last, width)}", no_wrap=True)
    if fact is not None:
        screen.out.print(
            f"[bold]{'holds':{LABEL}}[/bold] [green]{_span(begins or first, ends, first, last, width)}[/green]", no_wrap=True
        )
    left, right = f"{first:%Y-%m-%d}", "now" if last == now else f"{last:%Y-%m-%d}"
    screen.out.print(f"{'':{LABEL}} [dim]{left}{right:>{max(4, width - len(left))}}[/dim]", no_wrap=True)
    if fact is not None:
        screen.out.print(f"[dim]{escape(describe_validity(fact))}[/dim]")
    for entry in entries:
        by = ", ".join(part for part in (entry.trigger, entry.by) if part)
        head = f"● v{entry.version} {entry.at[:16].replace('T', ' ')} {entry.change}"
        screen.out.print(f"[bold]{escape(head)}[/bold][dim]{escape(f' ({by})' if by else '')}[/dim]")
        if entry.content:
            screen.out.print(Padding(escape(make_printable(entry.content)), (0, 0, 0, 2)))


def describe_validity(fact: Fact) -> str:
    """Since when and until when the record holds, and what has replaced it."""
    begins, ends = fact.valid_from or fact.timestamp or fact.created_at, fact.valid_to or fact.superseded_at
    parts = [f"{fact.status}, version {fact.version}"]
    if begins:
        parts.append(f"holds from {begins[:10]}{f' until {ends[:10]}' if ends else ''}")
    if fact.superseded_by:
        parts.append(f"replaced by {fact.superseded_by}")
    return "; ".join(parts)


def read_moment(text: str) -> datetime | None:
    """A time of the wire; None for one that is empty or unreadable.

    >>> read_moment("2026-03-01T10:00:00Z").isoformat(), read_moment("")
    ('2026-03-01T10:00:00+00:00', None)
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _validity(fact: Fact | None) -> tuple[datetime | None, datetime | None]:
    if fact is None:
        return None, None
    begins = read_moment(fact.valid_from) or read_moment(fact.timestamp) or read_moment(fact.created_at)
    return begins, read_moment(fact.valid_to) or read_moment(fact.superseded_at)


def _place(at: datetime, first: datetime, last: datetime, width: int) -> int:
    whole = (last - first).total_seconds()
    share = (at - first).total_seconds() / whole if whole > 0 else 0.0
    return min(width - 1, max(0, round(share * (width - 1))))


def _marks(moments: Sequence[datetime], first: datetime, last: datetime, width: int) -> str:
    cells = ["─"] * width
    for at in moments:
        cells[_place(at, first, last, width)] = "●"
    return "".join(cells)


def _span(begins: datetime, ends: datetime | None, first: datetime, last: datetime, width: int) -> str:
    """The part of the line in which the record holds.  An arrow: there is no end."""
    start = _place(begins, first, last, width)
    stop = _place(ends, first, last, width) if ends is not None else width - 1
    return f"{'':{start}}{'━' * max(0, stop - start)}{'┫' if ends is not None else '▶'}"
