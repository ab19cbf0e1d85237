"""Draws a list of jobs: how many are in each state and of each kind, and when they last changed."""

from collections import Counter
from collections.abc import Sequence

from ...schema import JobStatus
from ..console import Screen, count_of
from .bars import activity, count_bars
from .timeline import read_moment

STYLES = {"done": "green", "running": "cyan", "queued": "cyan", "deferred": "yellow", "dead": "red", "cancelled": "dim"}
LONGEST_CURVE = 40  # characters


def draw_jobs(screen: Screen, jobs: Sequence[JobStatus]) -> None:
    """Nothing for an empty list."""
    if not jobs:
        return
    width = screen.out.width
    by_state = Counter(job.status for job in jobs)
    screen.say(f"[bold]{count_of(len(jobs), 'job')} listed[/bold]")
    screen.out.print(count_bars({name: by_state[name] for name in [*STYLES, *by_state] if by_state[name]}, width, STYLES))
    kinds = dict(Counter(job.kind for job in jobs).most_common(6))
    if len(kinds) > 1:
        screen.out.print(count_bars(kinds, width))
    moments = [at.timestamp() for job in jobs if (at := read_moment(job.updated_at)) is not None]
    if len(moments) > 1:
        curve = activity(moments, max(8, min(LONGEST_CURVE, width - 8)))
        newest = max(job.updated_at for job in jobs)[:16].replace("T", " ")
        oldest = min(job.updated_at for job in jobs if job.updated_at)[:16].replace("T", " ")
        screen.out.print(f"[bold]changed[/bold] {curve}", no_wrap=True)
        screen.out.print(f"[dim]{oldest} to {newest}[/dim]")
