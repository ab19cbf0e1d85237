"""The way of one question through the agent: how many modules it is handed to, and how often it comes back to one it left.

    python -m bench.question_path

One turn (memory, a tool, a citation, a record) is played in this process with scripted services, and every call of a function
of the package is watched from ``agent_request`` until the dialogue is closed.  What is counted:

- a call *carries* the question when one of its arguments, ``self`` included, is the question's text or holds it: as a field
  of a record or of an object of the package, or as an item of a list, tuple or mapping, up to three levels deep;
- a function counts once, when a call first carries the question into it;
- a *stop* is an unbroken run of such functions in one module; a *return* is a stop in a module that had been left before.

So a module that takes the question once and does all its work is one stop; one that is called, left and called again with
other copies of the same fields is several.  What was measured is what ran: no call is guessed from names.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

import numpy as np

import trustgraph_react_mem
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
LEVELS = 3
AT_MOST = (20, 6)  # stops, returns

TEXTS = (
    'Thought: I look it up.\nAction: complete\nArgs: {"question": "harbour"}',
    "Thought: memory 0 says it.\nFinal Answer: From Bergen. [0]",
)


@dataclass(frozen=True, slots=True)
class Stop:
    """``functions`` were first entered with the question in ``module``, one after the other."""

    module: str
    functions: tuple[str, ...]
    is_return: bool


class Path_:
    """Watches calls while it is active."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._seen: set[CodeType] = set()
        self._entered: list[tuple[str, str]] = []

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        sys.setprofile(self._event)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or code in self._seen or not code.co_filename.startswith(str(PACKAGE)):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        # A closure carries what it closes over, as a method carries its ``self``.
        values = [frame.f_locals.get(name) for name in (*names, *code.co_freevars)]
        if any(self._holds(value, LEVELS) for value in values):
            self._seen.add(code)
            self._entered.append((str(Path(code.co_filename).relative_to(PACKAGE)), code.co_qualname))

    def _holds(self, value: object, levels: int) -> bool:
        if isinstance(value, str):
            return self._question in value
        if levels == 0:
            return False
        return any(self._holds(part, levels - 1) for part in _parts(value))

    def stops(self) -> list[Stop]:
        runs: list[tuple[str, list[str]]] = []
        for module, function in self._entered:
            if runs and runs[-1][0] == module:
                runs[-1][1].append(function)
            else:
                runs.append((module, [function]))
        before: set[str] = set()
        found = []
        for module, functions in runs:
            found.append(Stop(module, tuple(functions), module in before))
            before.add(module)
        return found


def _parts(value: object) -> Sequence[object]:
    """What a record, a collection or an object of the package consists of."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in fields(value)]
    if type(value).__module__.startswith(trustgraph_react_mem.__name__):
        return list(getattr(value, "__dict__", {}).values())
    return ()


# ------------------------------------------------------------------------------------------------ the scripted surroundings


class Service:
    """A client of one service: the same response to every request."""

    def __init__(self, response: Any) -> None:
        self._response = response

    async def request(self, request: Any, timeout: float | None = None) -> Any:
        return self._response

    async def _ask(self, request: Any, timeout_s: float = 0.0) -> Any:
        return self._response

    retrieve = store = switch = get = _ask


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
        told = [InvocationSummary(query="Has Ann a boat?", result="A blue one.")]
        facts = FactsResponse(facts=[Fact(id="f", content="The blue boat lies in Bergen")], stats={"read": "on", "write": "on"})
        self._clients: dict[str, Any] = {
            "prompt-request": Prompts(),
            "fact-retrieval": Service(facts),
            "fact-storage": Service(facts),
            "episode-retrieval": Service(EpisodesResponse(episodes=[Episode(id="e", goal="Find a ferry")])),
            "conversation-memory": Service(ConversationsResponse(conversation=ConversationMemory(invocations=told))),
        }

    def __call__(self, name: str) -> Any:
        return self._clients.get(name)


def _agent() -> Any:
    made = sys.modules[Processor.__module__]
    memory: Callable[..., Any] = made.AgentMemory
    from trustgraph_react_mem.memory.clock import SystemClock

    return Processor(
        id="agent",
        taskgroup=None,
        home=tempfile.gettempdir(),
        agent_memory=memory(embedder=Embedder(), publisher=Publisher(), clock=SystemClock()),
    )


async def walk() -> list[Stop]:
    """Raises: AssertionError, when the scripted turn was not answered."""
    agent = _agent()
    tool = {"name": "complete", "type": "text-completion", "description": "Completes a text"}
    await agent.on_tools("default", {"tool": {"complete": json.dumps(tool)}}, 1)
    said: list[Any] = []

    async def respond(response: Any) -> None:
        said.append(response)

    async def forward(request: Any) -> None: ...

    path = Path_(QUESTION)
    request = AgentRequest(question=QUESTION, user="ann", conversation_id="boats")
    with path.watching():
        await agent.agent_request(request, respond, forward, Flow())
    assert said[-1].content == "From Bergen.", said[-1]
    return path.stops()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help=f"Exit 1 above {AT_MOST[0]} stops or {AT_MOST[1]} returns")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    stops = asyncio.run(walk())
    for number, stop in enumerate(stops, start=1):
        print(f"{number:3} {'return ' if stop.is_return else '       '}{stop.module:32} {', '.join(stop.functions)}")
    returns = sum(stop.is_return for stop in stops)
    print(f"{len(stops)} stops in {len({stop.module for stop in stops})} modules, {returns} returns")
    if arguments.check and (len(stops) > AT_MOST[0] or returns > AT_MOST[1]):
        sys.exit(1)


if __name__ == "__main__":
    main()
