"""What commands draw: a live view of a turn, found memories with reasons, and the receipt of an erasure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import tzlocal
from rich.markup import escape

from ..memory.former import until_note
from ..memory.timefmt import read_zone
from ..memory.trust.quarantine import reason_of
from ..schema import Fact
from ..turn_trace import TracePiece, TurnTrace
from .console import Screen, count_of

SHOWN_CONTRIBUTIONS = 3


class TurnView:
    """Shows pieces as they arrive.  ``verbose``: also thoughts and memories, else only the answer and notices."""

    def __init__(self, screen: Screen, *, verbose: bool) -> None:
        self._screen = screen
        self._verbose = verbose
        self._within = ""  # kind of the unfinished line

    def show(self, piece: TracePiece, trace: TurnTrace) -> None:
        if piece.kind == "recalled":
            if self._verbose:
                show_recalled(self._screen, trace, ids=False)
        elif piece.kind == "answer":
            self._stream(piece, "[bold green]answer[/bold green]  " if self._verbose else "")
        elif piece.kind in ("thought", "action", "observation"):
            if self._verbose:
                self._stream(piece, f"[dim]{piece.kind:7}[/dim] ", style="dim")
        elif piece.kind == "notice":
            self._line(f"[yellow]notice[/yellow]  {escape(piece.text)}")
        elif piece.kind == "error":
            self._line(f"[bold red]error[/bold red]   {escape(piece.text)}")
        elif piece.kind == "end":
            self._line("")
            if self._verbose:
                self._screen.say(format_closing_line(trace))

    def _stream(self, piece: TracePiece, label: str, style: str = "") -> None:
        if piece.starts or self._within != piece.kind:
            self._line("")
            self._screen.say(label, end="")
            self._within = piece.kind
        self._screen.say(escape(piece.text), end="", style=style or None)
        if piece.ends:
            self._line("")

    def _line(self, text: str) -> None:
        """``text`` on its own line.  Empty: only end an unfinished line."""
        if self._within:
            self._screen.say()
            self._within = ""
        if text:
            self._screen.say(text)


LEGEND = (
    "[n]: number of the memory, * if the answer cites it; score: the final score; before: the score without what was learned "
    "from citations; p: share of this memory among all candidates (softmax of their scores; those not shown have the rest); "
    "why: what adds most to the score"
)


def show_recalled(screen: Screen, trace: TurnTrace, *, ids: bool = True) -> None:
    """The memories shown to the model.  ``ids``: also the ids that other commands take, and what the columns mean."""
    if trace.missing:
        screen.say(f"[yellow]recall[/yellow]  without {escape(', '.join(trace.missing))}")
    if not trace.memories:
        reason = str(trace.recalled.get("gate") or "nothing to recall")
        screen.say(f"[cyan]recall[/cyan]  [dim]no memories ({escape(reason)})[/dim]")
        return
    show_ranked(screen, "", trace.memories, cited=trace.cited_ids, ids=ids)


def show_ranked(
    screen: Screen, title: str, memories: Sequence[Mapping[str, Any]], *, cited: Sequence[str] = (), ids: bool = True
) -> None:
    """Memories in their order: score, score before learned reranking, reasons, citation mark."""
    rows = [
        [
            f"[{number}]{'*' if str(memory.get('id')) in cited else ' '}",
            *(_score(memory.get(name)) for name in ("score", "retrieval_score", "probability")),
            format_memory(memory),
            format_contributions(memory.get("why")),
            *([str(memory.get("id"))] if ids else []),
        ]
        for number, memory in enumerate(memories)
    ]
    columns = ["recall", "score", "before", "p", "memory", "why", *(["id"] if ids else [])]
    screen.table(title, columns, rows, empty="nothing came up")
    if rows and ids:  # a command that explains, not the live view of a turn
        screen.explain(LEGEND, style="dim")


def format_memory(memory: Mapping[str, Any]) -> str:
    speaker, content = str(memory.get("speaker") or ""), str(memory.get("content") or "")
    day = str(memory.get("said_at") or memory.get("timestamp") or "")[:10]
    kind = str(memory.get("kind") or "")
    # Derived memories name their speaker in the text.
    head = f"{speaker}: {content}" if speaker and kind in ("", "turn") else content
    tail = ", ".join(part for part in (day, kind if kind != "turn" else "", _until(memory)) if part)
    return f"{head} ({tail})" if tail else head


def local_zone() -> str:
    """The time zone of this machine: its IANA name, or its present offset if it has none."""
    try:
        return tzlocal.get_localzone_name() or ""
    except (ValueError, LookupError, OSError):  # TZ is a rule instead of a name, or names contradict one another
        offset = datetime.now().astimezone().strftime("%z")
        return f"{offset[:3]}:{offset[3:5]}"


def _until(memory: Mapping[str, Any]) -> str:
    """How a former memory is marked.  The agent's trace has the mark that the model saw."""
    seen = Fact(former_since=str(memory.get("former_since") or ""), replacement=str(memory.get("replacement") or ""))
    return str(memory.get("until") or "") or until_note(seen, zone=read_zone(local_zone()))


def format_contributions(why: object) -> str:
    """The features with the largest contributions to a score, largest first."""
    weighed = [(float(value), name) for name, value in why.items()] if isinstance(why, Mapping) else []
    weighed.sort(key=lambda pair: -abs(pair[0]))
    return " ".join(f"{name}{value:+.2f}" for value, name in weighed[:SHOWN_CONTRIBUTIONS] if abs(value) >= 0.005)


def format_closing_line(trace: TurnTrace) -> str:
    numbers = {str(memory.get("id")): place for place, memory in enumerate(trace.memories)}
    cited = [f"{numbers[item]}" for item in trace.cited_ids if item in numbers]
    state = str(trace.cited.get("citation") or "absent")
    uncited = {"absent": "the answer cites no memory", "malformed": "the citations of the answer are unreadable"}
    rests = f"rests on memories {', '.join(cited)}" if cited else uncited.get(state, f"no memory cited ({state})")
    changes = Counter(str(change.get("op")) for change in trace.cited.get("rule_changes", []))
    verbs = {"add": "given", "end": "ended"}
    parts = [rests, *(f"{count_of(number, 'rule')} {verbs.get(op, op)}" for op, number in changes.items())]
    if trace.seconds:
        parts.append(f"{trace.seconds:.1f} s")
    if trace.in_tokens or trace.out_tokens:
        parts.append(f"{trace.in_tokens} tokens in, {trace.out_tokens} out")
    return f"[dim]{escape(' · '.join(parts))}[/dim]"


def format_timings(timings: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f} ms" for name, value in timings.items())


def _score(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else ""


def memory_row(fact: Fact) -> list[str]:
    """Id, kind, time and text, with the reason if the memory is held back."""
    notes = [format_memory(vars(fact)), explain_quarantine(fact)]
    return [fact.id, fact.kind, fact.timestamp[:16], " — ".join(note for note in notes if note)]


def explain_quarantine(fact: Fact) -> str:
    """Why the memory is held back; "" if it is not."""
    return f"held back: {reason_of(fact.kind, fact.trust)}" if fact.status == "quarantined" else ""


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
