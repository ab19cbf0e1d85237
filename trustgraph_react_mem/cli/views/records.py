"""Shows found memories, their history, and the receipt of an erasure."""

from collections.abc import Sequence
from typing import Any

from ...memory.trust.quarantine import reason_of
from ...schema import Fact, HistoryEntry
from ..console import Screen, escape
from .turn import RANKED_LEGEND, format_contributions, format_memory


def show_ranked(screen: Screen, facts: list[Fact]) -> None:
    rows = [
        [
            str(place),
            f"{fact.score:.2f}",
            f"{fact.retrieval_score:.2f}",
            str(fact.rank_before),
            f"{fact.probability:.2f}",
            format_memory(vars(fact)),
            format_contributions(fact.why),
            fact.id,
        ]
        for place, fact in enumerate(facts)
    ]
    screen.table(
        "memories", ["rank", "score", "before", "rank before", "p", "memory", "why", "id"], rows, empty="nothing came up"
    )
    if rows:
        screen.explain(RANKED_LEGEND, style="dim")


def memory_row(fact: Fact) -> list[str]:
    """Id, kind, time and text, with the reason if the memory is held back."""
    notes = [format_memory(vars(fact)), explain_quarantine(fact)]
    return [fact.id, fact.kind, fact.timestamp[:16], " — ".join(note for note in notes if note)]


def explain_quarantine(fact: Fact) -> str:
    """Why the memory is held back; "" if it is not."""
    return f"held back: {reason_of(fact.kind, fact.trust)}" if fact.status == "quarantined" else ""


def show_history(screen: Screen, entries: Sequence[HistoryEntry], fact: Fact | None = None) -> None:
    """``entries``: newest first.  ``fact``: the record as it is now; None if it is not a fact, or is not read."""
    rows = [[str(e.version), e.at[:19], e.change, e.trigger, e.by, e.content] for e in entries]
    screen.table("history", ["version", "at", "change", "trigger", "by", "content"], rows, empty="none")
    if fact is not None:
        screen.explain(describe_validity(fact), style="dim")


def describe_validity(fact: Fact) -> str:
    """Since when and until when the record holds, and what has replaced it."""
    begins, ends = fact.valid_from or fact.timestamp or fact.created_at, fact.valid_to or fact.superseded_at
    parts = [f"{fact.status}, version {fact.version}"]
    if begins:
        parts.append(f"holds from {begins[:10]}{f' until {ends[:10]}' if ends else ''}")
    if fact.superseded_by:
        parts.append(f"replaced by {fact.superseded_by}")
    return "; ".join(parts)


def show_receipt(screen: Screen, receipt: dict[str, Any]) -> None:
    rows = [
        [place, str(counts.get("found", "")), str(counts.get("removed", "")), str(counts.get("left", ""))]
        for place, counts in receipt.get("places", {}).items()
    ]
    files = receipt.get("files")
    if files:
        counted = "before" in files
        rows.append(["files", str(files["before"]) if counted else "", "", str(files["after"]) if counted else files["state"]])
    screen.table("receipt", ["place", "found", "removed", "left"], rows, empty=f"{receipt.get('removed', 0)} removed")
    for text in receipt.get("notes", []):
        screen.say(f"[dim]note: {escape(str(text))}[/dim]")
