"""Repeated tasks of a scripted world, with lessons and without: ``python -m bench.experience [--tasks 60]``.

Each kind of task has a main tool that works only after one other tool, which nothing names.  The scripted agent does what a
learned rule in its prompt says; without one it tries other tools, in an order drawn for each task, until its steps run out.
After the task a scripted model reports what worked.  Of failures it sometimes draws a wrong lesson.  Everything between is the
embedded stack: recording, episodes, lessons, outcomes, recall.

Both runs have the same tasks and the same draws.  The run fails if lessons do not raise the share of tasks that succeed from
the first to the last third, and above that of the run without them.  It measures memory; a real model may draw worse lessons.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trustgraph_react_mem.memory.records import HARMFUL, HELPFUL, LESSON
from trustgraph_react_mem.memory.requests import ListFacts
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.schema import AgentRequest, Fact
from trustgraph_react_mem.testing import Rule, ScriptedModel

from .paired import exact_mcnemar
from .resumed import Progress
from .talk.background import empty_answer
from .talk.client import TalkClient, talking
from .talk.prompt_text import read_blocks, template_of

#: Kind of task -> the question, when a lesson applies, the main tool, and the tool that must come first.
KINDS: Mapping[str, tuple[str, str, str, str]] = {
    "ship": ("Ship order {n} to {place}", "shipping an order", "ship", "customs"),
    "refund": ("Refund the invoice {n} of the customer in {place}", "refunding an invoice", "refund", "approve"),
    "deploy": ("Deploy version {n} of the shop in {place}", "deploying a version of the shop", "deploy", "migrate"),
    "hire": ("Hire candidate {n} for the team in {place}", "hiring a candidate", "hire", "reference"),
    "rent": ("Rent out flat {n} in {place}", "renting out a flat", "rent", "inspect"),
}
FIRST = ("customs", "approve", "migrate", "reference", "inspect", "weigh", "stamp")
TOOLS = dict.fromkeys((*(main for _, _, main, _ in KINDS.values()), *FIRST), "")
PLACES = ("Oslo", "Bergen", "Turin", "Graz", "Porto", "Gent", "Lund")
TRIES = 2  # tools that the agent can try before its steps run out
STEPS = 2 * TRIES + 2  # the main tool, each try with the main tool again, and the answer
WRONG = 0.3  # share of failures of which a wrong lesson is drawn
USER = "worker"
_RULE = re.compile(r"use (\w+) before (\w+)")
_TOOL = re.compile(r"Use the tool (\w+):")


@dataclass(frozen=True, slots=True)
class Task:
    """``order``: the order in which the agent tries tools.  ``slip``: whether a failure gives a wrong lesson."""

    kind: str
    question: str
    order: tuple[str, ...]
    slip: bool


def tasks(count: int, seed: int) -> list[Task]:
    draw = random.Random(seed)
    kinds = [list(KINDS)[number % len(KINDS)] for number in range(count)]
    draw.shuffle(kinds)
    return [
        Task(
            kind,
            KINDS[kind][0].format(n=draw.randint(100, 999), place=draw.choice(PLACES)),
            tuple(draw.sample(FIRST, len(FIRST))),
            draw.random() < WRONG,
        )
        for kind in kinds
    ]


@dataclass(slots=True)
class World:
    """The script of all models: the agent's, the tools' and the one that reports on a task."""

    task: Task | None = None
    done: list[str] = field(default_factory=list)  # tools used in this task
    solved: bool = False
    heeded: bool = False

    def begin(self, task: Task) -> None:
        self.task, self.done, self.solved, self.heeded = task, [], False, False

    def answer(self, request: ChatRequest) -> str:
        template = template_of(request.prompt)
        if template is None:
            called = _TOOL.search(request.prompt)
            return self._tool(called.group(1) if called else "")
        if template.name == "memory-record-episode":
            return json.dumps(self._report(request.prompt))
        if not template.name.startswith("agent-"):
            return empty_answer(template.name, request)
        return self._agent(read_blocks(request.prompt).get("rules", ""))

    def _agent(self, rules: str) -> str:
        assert self.task is not None
        question, _, main, _ = KINDS[self.task.kind]
        if self.solved:
            return f"Thought: It worked.\nFinal Answer: Done: {question.partition(' ')[0].lower()}. <cite>none</cite>"
        advised = [first for first, then in _RULE.findall(rules) if then == main][:1]
        self.heeded |= bool(advised)
        tries = [*advised, *(tool for tool in self.task.order if tool not in advised)]
        plan = [*([] if advised else [main]), *(each for tool in tries for each in (tool, main))]
        tool = plan[len(self.done)] if len(self.done) < len(plan) else main
        return f'Thought: Next is {tool}.\nAction: {tool}\nArgs: {{"question": "{self.task.question}"}}'

    def _tool(self, name: str) -> str:
        assert self.task is not None
        _, _, main, first = KINDS[self.task.kind]
        before, self.done = self.done[-1:], [*self.done, name]
        if name != main:
            return "finished"
        self.solved = before == [first]
        return "accepted" if self.solved else "refused"

    def _report(self, prompt: str) -> dict[str, Any]:
        """The report on the task that the prompt describes, from its steps alone."""
        question = re.search(r"^Task: (.*)$", prompt, re.MULTILINE)
        used = re.findall(r"^- (\w+) .*-> \w+", prompt, re.MULTILINE)
        kind = next(name for name, each in KINDS.items() if each[2] in used)
        _, when, main, _ = KINDS[kind]
        succeeded = "The task succeeded." in prompt
        tried = used[used.index(main, 1) - 1] if main in used[1:] else ""
        drawn = used[-2] if succeeded else tried
        slip = self.task is not None and self.task.slip
        lesson = {"title": f"{drawn} first", "when": when, "what": f"use {drawn} before {main}"}
        return {
            "goal": question.group(1) if question else when,
            "outcome": "done" if succeeded else "refused to the end",
            "lessons": [lesson] if drawn and (succeeded or slip) else [],
        }


async def play(count: int, seed: int, *, with_lessons: bool) -> dict[str, Any]:
    """One run.  ``succeeded`` and ``steps`` by task, and the lessons at the end."""
    world = World()
    rows: list[dict[str, Any]] = []
    model = ScriptedModel(rules=[Rule(answer=world.answer, chunks=4)])
    todo = tasks(count, seed)
    progress = Progress(f"tasks {'with' if with_lessons else 'without'} lessons", len(todo), 0)
    with tempfile.TemporaryDirectory() as home:
        async with talking(Path(home), model) as client:
            settings = {
                "max-iterations": STEPS,
                "lessons-per-episode": 3 if with_lessons else 0,
                "enable-auto-fact-extraction": False,
            }
            await client.configure(settings, TOOLS)
            for number, task in enumerate(todo):
                world.begin(task)
                asked = AgentRequest(question=task.question, user=USER, conversation_id=f"task-{number}", streaming=False)
                await client.ask(asked)
                left = await client.wait_idle(USER, within_s=600)
                if left:
                    raise RuntimeError(f"background work did not end: {left[0]}")
                rows.append({"kind": task.kind, "succeeded": world.solved, "steps": len(world.done), "heeded": world.heeded})
                progress.step(f"{task.kind}: {'done' if world.solved else 'failed'}")
            kept = await _lessons(client)
    return {"rows": rows, "lessons": kept}


async def _lessons(client: TalkClient) -> dict[str, Any]:
    found: dict[str, list[Fact]] = {}
    for status in ("active", "superseded", "quarantined"):
        reply = await client.bus.call(ListFacts(user=USER, kinds=["procedural"], status=status, limit=100))
        found[status] = [fact for fact in reply.facts if LESSON in fact.metadata]
    right = {f"use {first} before {main}" for _, _, main, first in KINDS.values()}
    active = found["active"]
    return {
        "active": len(active),
        "active_right": sum(fact.action in right for fact in active),
        "retired": sum(not fact.superseded_by for fact in found["superseded"]),
        "quarantined": len(found["quarantined"]),
        "helpful": sum(int(fact.metadata.get(HELPFUL, "0")) for fact in active),
        "harmful": sum(int(fact.metadata.get(HARMFUL, "0")) for facts in found.values() for fact in facts),
    }


def summarise(arms: Sequence[dict[str, Any]], count: int, seeds: Sequence[int]) -> dict[str, Any]:
    """``arms``: runs with and without lessons in turn, one pair for each seed."""
    runs = {"with lessons": arms[0::2], "without": arms[1::2]}
    third = count // 3
    parts = {"first third": slice(0, third), "last third": slice(count - third, count)}
    report: dict[str, Any] = {"tasks": count, "seeds": list(seeds), "runs": {}}
    for name, run in runs.items():
        cut = {part: [row for arm in run for row in arm["rows"][where]] for part, where in parts.items()}
        report["runs"][name] = {
            part: {
                "succeeded": sum(row["succeeded"] for row in rows),
                "of": len(rows),
                "percent": round(100 * sum(row["succeeded"] for row in rows) / len(rows), 1),
                "steps": round(sum(row["steps"] for row in rows) / len(rows), 2),
            }
            for part, rows in cut.items()
        }
    last = {
        name: [bool(row["succeeded"]) for arm in run for row in arm["rows"][parts["last third"]]] for name, run in runs.items()
    }
    gained, lost, p = exact_mcnemar(last["with lessons"], last["without"])
    report["paired"] = {"gained": gained, "lost": lost, "p": p}
    kept = [arm["lessons"] for arm in runs["with lessons"]]
    report["lessons"] = {name: sum(each[name] for each in kept) for name in kept[0]}
    return report


def raises_success(report: Mapping[str, Any]) -> bool:
    runs = report["runs"]
    last = runs["with lessons"]["last third"]["succeeded"]
    return bool(last > runs["with lessons"]["first third"]["succeeded"] and last > runs["without"]["last third"]["succeeded"])


def as_table(report: Mapping[str, Any]) -> str:
    lines = ["| run | first third | last third | steps, first third | steps, last third |", "|---|---|---|---|---|"]
    for name, run in report["runs"].items():
        first, last = run["first third"], run["last third"]
        shares = [f"{each['percent']:.1f} % ({each['succeeded']} of {each['of']})" for each in (first, last)]
        lines.append(f"| {name} | {shares[0]} | {shares[1]} | {first['steps']:.1f} | {last['steps']:.1f} |")
    paired, kept = report["paired"], report["lessons"]
    lines += [
        "",
        f"Last third, the same tasks: {paired['gained']} gained and {paired['lost']} lost with lessons "
        f"(McNemar, exact, p = {paired['p']:.2g}). At the end {kept['active']} lessons are active, {kept['active_right']} of "
        f"them right, and {kept['retired']} are retired.",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.experience", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=60, help="tasks in a run (default 60)")
    parser.add_argument("--seeds", type=int, default=1, help="pairs of runs (default 1)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    report = asyncio.run(measure(arguments.tasks, arguments.seeds))
    print(json.dumps(report, indent=1) if arguments.json else as_table(report))
    return 0 if raises_success(report) else 1


async def measure(count: int, seeds: int) -> dict[str, Any]:
    arms = [await play(count, seed, with_lessons=with_lessons) for seed in range(seeds) for with_lessons in (True, False)]
    return summarise(arms, count, range(seeds))


if __name__ == "__main__":
    sys.exit(main())
