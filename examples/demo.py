"""Play a dialogue and show what the agent recalls, answers, cites and learns (``make demo``).

python examples/demo.py examples/dog-and-trip.txt --data build/demo/data
"""

import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from dialogue import ScriptConversation, ScriptLine, read_dialogue
from rich.rule import Rule

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.cli import prepare_streams
from trustgraph_react_mem.cli.chat import ask_agent
from trustgraph_react_mem.cli.connection import open_bus, start_stack
from trustgraph_react_mem.cli.console import count_of, escape
from trustgraph_react_mem.cli.options import CHECK_FAILED, Session, command
from trustgraph_react_mem.cli.views import LEGEND, TurnView, format_memory
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import BadRequest, MemoryServiceError
from trustgraph_react_mem.memory.requests import (
    GetFacts,
    ListFacts,
    WaitUntilIdle,
)
from trustgraph_react_mem.turn_trace import TurnTrace

WRITTEN_TIMEOUT_S = 30.0
LIST_LIMIT = 500


@dataclass(slots=True)
class Verdict:
    """Whether an answer is right and rests on the memory that holds the fact."""

    line: ScriptLine
    shown: bool  # the memory was in the prompt
    said: bool  # the answer contains the expected value
    cited: bool  # the answer cites the memory
    cites_others: bool  # it cites only other memories

    @property
    def good(self) -> bool:
        return self.shown and self.said and not self.cites_others

    def explain(self) -> str:
        expected = " or ".join(map(repr, self.line.answers))
        if self.good:
            source = "and cites the memory that holds it" if self.cited else "from the memory that holds it, without citing it"
            return f"the answer says {expected} {source}"
        faults = []
        if not self.said:
            faults.append(f"the answer does not contain {expected}")
        if self.cites_others:
            faults.append("the answer cites memories that do not hold the fact")
        if self.shown:
            faults.append("the memory that holds the fact was in the prompt, so this is the model's mistake")
        else:
            faults.append("the memory that holds the fact was not recalled")
        return "; ".join(faults)


@dataclass(slots=True)
class Play:
    """The state of a run."""

    traces: list[TurnTrace] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    known: set[str] = field(default_factory=set)  # ids of facts already shown as learned
    turn_s: float = 0.0
    learning_s: float = 0.0


app = typer.Typer(pretty_exceptions_enable=False)


@command(app, "demo")
async def demo(
    session: Session,
    file: Annotated[Path, typer.Argument(help="Dialogue file, such as examples/dog-and-trip.txt.")],
    patience: Annotated[float, typer.Option(min=0.0, help="Seconds to wait for learning after each conversation.")] = 45.0,
) -> int | None:
    """Play a dialogue of several conversations and check that the answers rest on earlier ones.

    The exit code is 5 if a turn fails or a fact is not recalled. An answer that does not use the recalled fact is a mistake of
    the model, which is only reported.
    """
    conversations = read_dialogue(file)
    data_dir = session.options.data_dir
    if data_dir.exists() and any(data_dir.iterdir()):
        raise BadRequest(f"{data_dir} is not empty, so answers could rest on older memories: pass a new directory with --data")
    began = time.monotonic()
    play = Play()
    async with start_stack(session, session.options.model) as own:
        started_s = time.monotonic() - began
        _print_heading(session, own, file, started_s)
        async with open_bus(own.address, session.options) as bus:
            await bus.check()
            for number, conversation in enumerate(conversations, start=1):
                await _hold_conversation(bus, session, conversation, f"demo-{number}", play)
                await _show_learned(bus, session, play, patience, last=number == len(conversations))
    return _report(session, play, started_s, time.monotonic() - began)


def _print_heading(session: Session, own: EmbeddedStack, file: Path, started_s: float) -> None:
    session.screen.say(f"[bold]{escape(file.name)}[/bold] with")
    for name, value in own.description.items():
        session.screen.say(f"  {name:11} {escape(value)}")
    session.screen.say(f"  {'ready in':11} {started_s:.1f} s")
    session.screen.say(f"[dim]In the tables below: {escape(LEGEND)}[/dim]")


async def _hold_conversation(bus: MemoryBus, session: Session, conversation: ScriptConversation, name: str, play: Play) -> None:
    screen = session.screen
    screen.out.print(Rule(f"{conversation.at:%d %B %Y, %H:%M}  {escape(conversation.title)}", align="left"))
    for place, line in enumerate(conversation.lines):
        screen.say(f"\n[bold]{escape(line.speaker)}[/bold]: {escape(line.text)}")
        view = TurnView(screen, verbose=True)
        trace = await ask_agent(
            bus,
            session,
            line.text,
            conversation_id=name,
            show=view.show,
            speaker=line.speaker,
            asked_at=(conversation.at + timedelta(minutes=place)).isoformat(),
            end_of_conversation=place == len(conversation.lines) - 1,
        )
        play.traces.append(trace)
        play.turn_s += trace.seconds
        screen.data({"turn": trace.as_json()})
        if line.checked:
            verdict = await _judge(bus, session, line, trace)
            play.verdicts.append(verdict)
            mark = "[green]✓[/green]" if verdict.good else "[bold red]✗[/bold red]"
            screen.say(f"{mark} {escape(verdict.explain())}")
        await _wait(bus, session, "record", WRITTEN_TIMEOUT_S)


async def _judge(bus: MemoryBus, session: Session, line: ScriptLine, trace: TurnTrace) -> Verdict:
    holders, cited = await _find_holders(bus, session, line, trace), set(trace.cited_ids)
    return Verdict(
        line=line,
        shown=bool(holders),
        said=_says(trace.answer, line.answers),
        cited=bool(holders & cited),
        cites_others=bool(cited) and not holders & cited,
    )


def _says(text: str, values: Sequence[str]) -> bool:
    """Whether the text contains one of the values as whole words."""
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) for value in values)


async def _find_holders(bus: MemoryBus, session: Session, line: ScriptLine, trace: TurnTrace) -> set[str]:
    """Ids of the recalled memories that hold the fact: the source line, or what was derived from it and has the value."""
    ids = [str(memory.get("id")) for memory in trace.memories]
    if not ids:
        return set()
    said = (await bus.call(ListFacts(kinds=["turn"], limit=LIST_LIMIT, **session.scope_fields))).facts
    sources = {turn.id for turn in said if turn.content == line.source}
    shown = (await bus.call(GetFacts(ids=ids, **session.scope_fields))).facts
    derived = {fact.id for fact in shown if sources & set(fact.turn_ids) and _says(fact.content, line.answers)}
    return {fact.id for fact in shown if fact.id in sources} | derived


async def _wait(bus: MemoryBus, session: Session, kind: str, timeout_s: float) -> int:
    """Number of unfinished jobs after the wait."""
    request = WaitUntilIdle(kind=kind, timeout_s=timeout_s, **session.scope_fields)
    try:
        return (await bus.call(request)).count
    except MemoryServiceError as error:
        session.screen.note(f"background jobs are still running: {error}")
        return 1


async def _show_learned(bus: MemoryBus, session: Session, play: Play, patience_s: float, *, last: bool) -> None:
    """Show what the background jobs learned from the conversation."""
    began = time.monotonic()
    still = await _wait(bus, session, "", patience_s)
    play.learning_s += time.monotonic() - began
    listed = await bus.call(ListFacts(limit=LIST_LIMIT, **session.scope_fields))
    new = [fact for fact in listed.facts if fact.id not in play.known]
    play.known |= {fact.id for fact in new}
    drawn = [fact for fact in new if fact.kind != "turn"]
    unfinished = "stopped with the demo; they continue when this directory is used again" if last else "still running"
    session.screen.say(
        f"\n[magenta]learned[/magenta] {count_of(len(new) - len(drawn), 'turn')} stored verbatim, "
        f"{count_of(len(drawn), 'memory')} derived from them"
        + (f" [dim]({count_of(still, 'job')} {unfinished})[/dim]" if still else "")
    )
    for fact in drawn:
        session.screen.say(f"        {escape(format_memory(vars(fact)))}")
    session.screen.data({"learned": new})


def _report(session: Session, play: Play, started_s: float, total_s: float) -> int | None:
    screen = session.screen
    screen.say(
        f"\nstart {started_s:.1f} s, {len(play.traces)} turns {play.turn_s:.1f} s, "
        f"waiting for learning {play.learning_s:.1f} s, total {total_s:.1f} s"
    )
    bad = [verdict for verdict in play.verdicts if not verdict.good]
    unrecalled = [verdict for verdict in play.verdicts if not verdict.shown]
    failed = [trace for trace in play.traces if trace.error]
    report: dict[str, Any] = {
        "checked": len(play.verdicts),
        "good": len(play.verdicts) - len(bad),
        "recalled": len(play.verdicts) - len(unrecalled),
        "errors": [trace.error for trace in failed],
        "seconds": {"start": started_s, "turns": play.turn_s, "learning": play.learning_s, "all": total_s},
    }
    screen.data({"report": report})
    for trace in failed:
        screen.problem(f"the turn {trace.question!r} failed: {trace.error}")
    for verdict in unrecalled:
        screen.problem(f"line {verdict.line.number}, {verdict.line.text!r}: {verdict.explain()}")
    if unrecalled or failed:
        return CHECK_FAILED
    if bad:
        screen.say(
            f"[bold]for all {len(play.verdicts)} checked answers the memory that holds the fact was in the prompt; "
            f"{len(play.verdicts) - len(bad)} of them use it[/bold]"
        )
        screen.note("a larger model makes fewer mistakes: set OPENAI_BASE_URL, or run Ollama (docs/models.md)")
        return None
    cited = sum(verdict.cited for verdict in play.verdicts)
    screen.say(
        f"[bold green]all {len(play.verdicts)} checked answers have the expected value, and the memory that holds it was in "
        f"the prompt; {cited} of them cite it[/bold green]"
    )
    return None


if __name__ == "__main__":
    prepare_streams()
    code = 0
    try:
        app()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the bus client's C++ threads may abort a normal exit
