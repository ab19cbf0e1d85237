"""The way of one question through the agent: how many modules it is handed to, and how often it comes back to one it left.

    python -m bench.question_path [--check]

One turn (memory, a tool, a citation, a record) is played in this process with scripted services, and every call of a function
of the package is watched from ``agent_request`` until the dialogue is closed.  What is counted:

- A call hands the question over when one of its arguments is the question's text, or a record (dataclass, mapping, list or
  tuple) that holds it in a field, or in a record in a field.  A closure is handed what it closes over.  ``self`` does not
  count: what an object was given once it has.
- A function counts once, when the question is first handed to it.
- A *stop* is an unbroken run of such functions in one module; a *return* is a stop in a module that had been left before.
- A *copy* is a class of the package, records of the wire included, that stores the question's text in a field of its own.

What was measured is what ran; no call is guessed from names.  Branches that this turn does not take are not counted.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

import numpy as np

import trustgraph_react_mem
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.processors.agent import Processor
from trustgraph_react_mem.schema import (
    AgentRequest,
    ConversationMemory,
    ConversationsResponse,
    Episode,
    EpisodesResponse,
    Fact,
    FactsResponse,
    InvocationSummary,
)

PACKAGE = Path(trustgraph_react_mem.__file__).parent
QUESTION = "Which harbour does the blue boat of Ann leave from?"
LEVELS = 2
MOST_STOPS, MOST_RETURNS = 20, 6

TEXTS = (
    'Thought: I look it up.\nAction: complete\nArgs: {"question": "harbour"}',
    "Thought: memory 0 says it.\nFinal Answer: From Bergen. [0]",
)


@dataclass(frozen=True, slots=True)
class Stop:
    """``functions`` of ``module`` were handed the question for the first time, one after the other."""

    module: str
    functions: tuple[str, ...]
    is_return: bool


@dataclass(frozen=True, slots=True)
class Way:
    """``copies`` are the names of the classes that store the question's text."""

    stops: tuple[Stop, ...]
    copies: tuple[str, ...]

    @property
    def returns(self) -> int:
        return sum(stop.is_return for stop in self.stops)


class Watch:
    """Sees every call while it is active."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._seen: set[CodeType] = set()
        self._entered: list[tuple[str, str]] = []
        self._copies: dict[str, None] = {}

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        sys.setprofile(self._event)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or code in self._seen:
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        values = [frame.f_locals.get(name) for name in (*names, *code.co_freevars) if name != "self"]
        if code.co_name == "__init__" and code.co_filename == "<string>":  # a dataclass's own
            made = type(frame.f_locals["self"])
            if made.__module__.startswith(PACKAGE.name) and any(self._holds(value, 0) for value in values):
                self._copies[made.__name__] = None
        elif code.co_filename.startswith(str(PACKAGE)) and any(self._holds(value, LEVELS) for value in values):
            self._seen.add(code)
            self._entered.append((str(Path(code.co_filename).relative_to(PACKAGE)), code.co_qualname))

    def _holds(self, value: object, levels: int) -> bool:
        if isinstance(value, str):
            return self._question in value
        return levels > 0 and any(self._holds(part, levels - 1) for part in _fields_of(value))

    def result(self) -> "Way":
        runs: list[tuple[str, list[str]]] = []
        for module, function in self._entered:
            if runs and runs[-1][0] == module:
                runs[-1][1].append(function)
            else:
                runs.append((module, [function]))
        before: set[str] = set()
        stops = []
        for module, functions in runs:
            stops.append(Stop(module, tuple(functions), module in before))
            before.add(module)
        return Way(tuple(stops), tuple(self._copies))


def _fields_of(value: object) -> Sequence[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, list | tuple):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in fields(value)]
    return ()


# ------------------------------------------------------------------------------------------------ the scripted surroundings


class Service:
    """A client of one service: the same response to every request."""

    def __init__(self, response: Any) -> None:
        self._response = response

    async def call(self, request: Any, timeout_s: float = 0.0) -> Any:
        return self._response


class Prompts:
    def __init__(self) -> None:
        self._texts = list(TEXTS)

    async def request(self, request: Any, timeout: float | None = None, recipient: Any = None) -> Any:
        text = self._texts.pop(0)
        return SimpleNamespace(
            text=text, object=None, error=None, in_token=1, out_token=1, model="scripted", end_of_stream=True
        )

    async def question(self, text: str) -> Any:
        return SimpleNamespace(text="The boat leaves from Bergen.")


class Embedder:
    @contextlib.contextmanager
    def serving(self, workspace: str, flow: str) -> Iterator[None]:
        yield

    async def embed(self, texts: Sequence[str], *, role: str) -> Any:
        return np.ones((len(texts), 4), np.float32)


class Publisher:
    async def publish(self, jobs: Sequence[Any]) -> None: ...


class Flow:
    name = workspace = "default"
    librarian = None

    def __init__(self) -> None:
        past = [InvocationSummary(query="Has Ann a boat?", result="A blue one.")]
        facts = FactsResponse(facts=[Fact(id="f", content="The blue boat lies in Bergen")], stats={"read": "on", "write": "on"})
        self._clients: dict[str, Any] = {
            "prompt-request": Prompts(),
            "fact-retrieval": Service(facts),
            "fact-storage": Service(facts),
            "episode-retrieval": Service(EpisodesResponse(episodes=[Episode(id="e", goal="Find a ferry")])),
            "conversation-memory": Service(ConversationsResponse(conversation=ConversationMemory(invocations=past))),
        }

    def __call__(self, name: str) -> Any:
        return self._clients.get(name)


def _agent() -> Any:
    # By name, so that the script measures every version of the package that has these classes.
    memory: Any = sys.modules[Processor.__module__].AgentMemory
    return Processor(
        id="agent",
        taskgroup=None,
        agent_memory=memory(embedder=Embedder(), publisher=Publisher(), clock=SystemClock()),
    )


async def follow() -> Way:
    """Raises: AssertionError, when the scripted turn was not answered."""
    agent = _agent()
    tool = {"name": "complete", "type": "text-completion", "description": "Completes a text"}
    await agent.on_tools("default", {"tool": {"complete": json.dumps(tool)}}, 1)
    said: list[Any] = []

    async def respond(response: Any) -> None:
        said.append(response)

    async def forward(request: Any) -> None: ...

    watch = Watch(QUESTION)
    request = AgentRequest(question=QUESTION, user="ann", conversation_id="boats")
    with watch.active():
        await agent.agent_request(request, respond, forward, Flow())
    assert said[-1].content == "From Bergen.", said[-1]
    return watch.result()


def main() -> None:
    parser = argparse.ArgumentParser(description="The way of one question through the agent")
    parser.add_argument("--check", action="store_true", help=f"exit 1 above {MOST_STOPS} stops or {MOST_RETURNS} returns")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    way = asyncio.run(follow())
    for number, stop in enumerate(way.stops, start=1):
        print(f"{number:3} {'return ' if stop.is_return else '       '}{stop.module:32} {', '.join(stop.functions)}")
    modules = len({stop.module for stop in way.stops})
    print(
        f"{len(way.stops)} stops in {modules} modules, {way.returns} returns, {len(way.copies)} copies: {', '.join(way.copies)}"
    )
    if arguments.check and (len(way.stops) > MOST_STOPS or way.returns > MOST_RETURNS):
        sys.exit(1)


if __name__ == "__main__":
    main()
