"""Draw docs/images/recall.svg: what the agent recalls for a question, and why.

Plays the demo on the embedded stack with a scripted model and the int8 MiniLM embeddings.  The picture needs no language
model and is the same on every run, up to the last digit of a score.
"""

import asyncio
import io
import json
import logging
import os
import runpy
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from trustgraph_react_mem.cli.chat import ask_agent
from trustgraph_react_mem.cli.connection import open_bus, start_stack
from trustgraph_react_mem.cli.console import Screen
from trustgraph_react_mem.cli.options import Options, Session
from trustgraph_react_mem.cli.views import TurnView
from trustgraph_react_mem.memory.requests import WaitUntilIdle
from trustgraph_react_mem.turn_trace import TracePiece, TurnTrace

ROOT = Path(__file__).parents[1]
read_dialogue = runpy.run_path(str(ROOT / "examples" / "dialogue.py"))["read_dialogue"]
DIALOGUE = ROOT / "examples" / "dog-and-trip.txt"
PICTURE = ROOT / "docs" / "images" / "recall.svg"
WIDTH = 118
SCRIPT = {
    "rules": [
        {
            "when": r"(?s)Form 1, to use a tool.*Question: What is my dog Miso allergic to\?",
            "answer": "Thought: Memory 0 says it.\nFinal Answer: Miso is allergic to chicken. [0]",
        },
        {
            "when": "Form 1, to use a tool",
            "answer": "Thought: Nothing to look up.\nFinal Answer: I will remember that. <cite>none</cite>",
        },
    ],
    "default": "{}",
}


async def play(folder: Path) -> str:
    """The SVG of the last question's turn."""
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    options = Options(data_dir=folder / "data", user="ana", collection="default", model="", json_output=False)
    session = Session(options=options, screen=Screen(json_output=False))
    first, second, third = read_dialogue(DIALOGUE)
    async with (
        start_stack(session, f"scripted:{script}") as own,
        open_bus(own.address, options) as bus,
    ):
        await bus.check()
        for number, conversation in enumerate((first, second)):
            for place, line in enumerate(conversation.lines):
                await ask_agent(
                    bus,
                    session,
                    line.text,
                    conversation_id=f"c{number}",
                    show=lambda piece, trace: None,
                    speaker=line.speaker,
                    asked_at=(conversation.at + timedelta(minutes=place)).isoformat(),
                )
                await bus.call(WaitUntilIdle(kind="record", timeout_s=30.0, **session.scope_fields))
        session.screen.out = Console(record=True, width=WIDTH, force_terminal=True, highlight=False, file=io.StringIO())
        question = third.lines[0]
        session.screen.say(f"[bold]{question.speaker}[/bold]: {question.text}")
        view = TurnView(session.screen, verbose=True)

        def show(piece: TracePiece, trace: TurnTrace) -> None:
            trace.seconds = 0.0  # not shown: it differs between runs
            view.show(piece, trace)

        trace = await ask_agent(
            bus,
            session,
            question.text,
            conversation_id="c2",
            show=show,
            speaker=question.speaker,
            asked_at=third.at.isoformat(),
        )
    if not trace.cited_ids:
        raise SystemExit(f"the answer cites nothing, so the picture would show nothing: {trace.as_json()}")
    return session.screen.out.export_svg(title="react-mem chat --verbose", theme=MONOKAI, unique_id="recall")


def main() -> int:
    logging.disable()  # background jobs that ask the script for facts fail, as they should
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"REACT_MEM_KEYS": f"{folder}/keys", "REACT_MEM_EMBEDDINGS": "all-MiniLM-L6-v2-int8"}
        svg = asyncio.run(play(Path(folder)))
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(svg, encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # the bus client's threads may abort a normal exit


if __name__ == "__main__":
    main()
