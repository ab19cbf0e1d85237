"""Plays a conversation through a running stack and compares each turn with what is expected."""

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bench.talk.client import PlayedTurn, TalkClient
from bench.talk.prompt_text import template_of
from bench.talk.understood import PROMPT, answer_with, empty_answer
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import (
    EndConversation,
    ImportTurns,
    ListEpisodes,
    ListFacts,
    StoreEpisode,
    StoreFact,
    SubmitJob,
    SwitchMemory,
    UndoChange,
    UpdateFact,
)
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.schema import AgentRequest, Fact, HistoryStep, MemoryOptions, Turn

from .conversation import Conversation, ExpectedStore, Forgotten, Session, Step
from .expectations import Prompt, compare_store, compare_turn, matches

MINUTE = timedelta(minutes=1)
MOST_RECORDS = 1000
MOST_S = 120.0  # a conversation takes a second a turn on a busy machine
_TOOL = re.compile(r"^Use the tool ([\w-]+):")


@dataclass(slots=True)
class Script:
    """What the scripted model says in one conversation: set before each turn, and a table for the background."""

    conversation: Conversation
    outputs: deque[str] = field(default_factory=deque)
    prompts: list[str] = field(default_factory=list)  # the agent's prompts of the current turn
    asked: list[tuple[str, str]] = field(default_factory=list)  # (template, answer) of the background

    def begin_turn(self, step: Step) -> None:
        final = f"Thought: I can answer this.\nFinal Answer: {step.answer or 'All right. [NO_CITE]'}"
        self.outputs = deque(step.outputs or (final,))
        self.prompts.clear()

    def answer(self, request: ChatRequest) -> str:
        template = template_of(request.prompt)
        tool = _TOOL.match(request.prompt)
        if tool:
            return self.conversation.tools[tool[1]]
        if template is None or template.name.startswith("agent-"):
            self.prompts.append(request.prompt)
            return self.outputs.popleft() if len(self.outputs) > 1 else self.outputs[0]
        answer = self._background(template.name, request)
        self.asked.append((template.name, answer))
        return answer

    def _background(self, name: str, request: ChatRequest) -> str:
        for rule in self.conversation.background.get(name.removeprefix("memory-"), ()):
            if re.search(rule.when, request.prompt, re.DOTALL):
                return _as_answer(name, rule.answer, request.prompt)
        return empty_answer(request)


def _as_answer(name: str, answer: Any, prompt: str) -> str:
    if isinstance(answer, str):
        return answer
    if name == PROMPT:
        return answer_with(answer["items"], prompt, answer.get("episode"))
    return json.dumps(answer, ensure_ascii=False)


class Player:
    """One conversation.  ``faults``: what differs from the expectation, with the prompt where it helps."""

    def __init__(self, client: TalkClient, script: Script, set_clock: Callable[[datetime], None]) -> None:
        self._client = client
        self._set_clock = set_clock
        self._script = script
        self._conversation = script.conversation
        self._count = 0
        self._doing = "the settings"
        self.faults: list[str] = []

    async def play(self) -> list[str]:
        """Play to the end and return the faults."""
        try:
            async with asyncio.timeout(MOST_S):
                await self._play()
        except TimeoutError:
            self.faults.append(f"{self._doing} did not end: the conversation took more than {MOST_S} s")
        except (MemoryServiceError, LookupError) as error:
            self.faults.append(f"{self._doing}: {type(error).__name__}: {error}")
        return self.faults

    async def _play(self) -> None:
        await self._client.configure(self._conversation.settings, self._conversation.tools)
        for number, session in enumerate(self._conversation.sessions, start=1):
            await self._play_session(session, number)
        for expected in self._conversation.after:
            await self._compare_store(expected, "after the end")

    def _user(self, person: str) -> str:
        return f"{self._conversation.name}-{person}"[:100]

    async def _play_session(self, session: Session, number: int) -> None:
        where = self._scope(session)
        name = session.conversation or f"{self._conversation.name}-{number}"
        now = session.at
        if self._conversation.clock:
            self._set_clock(now)
        for count, step in enumerate(session.turns, start=1):
            now = step.at or (now if count == 1 else now + MINUTE)
            place = f"session {number}, step {count}"
            await self._play_step(session, step, place, where, "" if name == "none" else name, now)

    def _scope(self, session: Session) -> dict[str, Any]:
        """The shared memory is the same for all conversations, so its collection keeps them apart."""
        if session.shared:
            return {"user": "", "collection": f"{self._conversation.name}-{session.collection}"[:100]}
        return {"user": self._user(session.person), "collection": session.collection}

    async def _play_step(
        self, session: Session, step: Step, place: str, where: dict[str, Any], conversation_id: str, now: datetime
    ) -> None:
        bus, self._doing = self._client.bus, place
        if step.say is not None:
            await self._say(session, step, place, where, conversation_id, now)
        elif step.end:
            if conversation_id:
                await bus.call(EndConversation(conversation_id=conversation_id, **where))
            await self._settle(where, place)
        elif step.load is not None:
            self._count += 1
            turns = [
                Turn(id=f"L{at}", text=line.text, speaker=line.speaker, role=line.role, said_at=(line.at or now).isoformat())
                for at, line in enumerate(step.load)
            ]
            await bus.call(ImportTurns(source=f"import-{self._count}", turns=turns, **where))
        elif step.store is not None:
            await bus.call(StoreFact(content=step.store, **where))
        elif step.task is not None:
            await bus.call(StoreEpisode(**step.task.model_dump(), **where))
        elif step.switch is not None:
            await bus.call(SwitchMemory(**step.switch, **where))  # type: ignore[arg-type]
        elif step.undo is not None:
            for fact in await self._find(step.undo, where, place):
                await bus.call(UndoChange(id=fact.id, **where))
        elif step.confirm is not None:
            for fact in await self._find(step.confirm, where, place, status="quarantined"):
                await bus.call(UpdateFact(id=fact.id, status="active", **where))
        elif step.forget is not None:
            await self._forget(step.forget, place, where, conversation_id)
        elif step.stored is not None:
            await self._compare_store(step.stored, place)

    async def _settle(self, where: Mapping[str, Any], place: str) -> None:
        """Wait for background work, as time passes between the messages of a person."""
        self._doing = f"background work after {place}"
        left = await self._client.wait_idle(where["user"], where["collection"])
        if left:
            self.faults.append(f"{place}\n  background work did not end: {left}")

    # ------------------------------------------------------------------------------------------------ turns

    async def _say(
        self, session: Session, step: Step, place: str, where: dict[str, Any], conversation_id: str, now: datetime
    ) -> None:
        assert step.say is not None
        self._script.begin_turn(step)
        request = AgentRequest(
            question=step.say,
            conversation_id=conversation_id,
            asked_at=now.isoformat(),
            speaker=step.speaker or session.speaker,
            streaming=step.streaming,
            enable_memory=step.enable_memory,
            memory=MemoryOptions(**step.options) if step.options else None,
            history=[HistoryStep(**dict(line)) for line in step.history],
            timezone=step.zone or session.zone,
            **where,
        )
        turn = await self._client.ask(request)
        await self._settle(where, place)
        place = f"{place}: {step.say[:60]!r}"
        wanted = step.expect.error if step.expect else ""
        if (turn.trace.error_type if turn.trace.error else "") != wanted:
            self.faults.append(f"{place}\n  error: expected {wanted or 'none'}, got {turn.trace.error_type} {turn.trace.error}")
        if turn.trace.missing:
            self.faults.append(f"{place}\n  parts of recall are missing: {turn.trace.missing}")
        if step.expect is not None:
            self._compare_turn(step, turn, place)

    def _compare_turn(self, step: Step, turn: PlayedTurn, place: str) -> None:
        assert step.expect is not None
        prompt = Prompt(self._script.prompts or [""], turn.trace.memories)
        found = compare_turn(step.expect, prompt, turn)
        if found:
            said = f"  answer: {turn.trace.answer!r}"
            self.faults.append("\n".join([place, *(f"  {fault}" for fault in found), said, prompt.compact()]))

    # ------------------------------------------------------------------------------------------------ the store

    async def _find(self, text: str, where: Mapping[str, Any], place: str, status: str = "") -> list[Fact]:
        found = [fact for fact in await self._records(where, status) if matches(text, fact.content)]
        if not found:
            self.faults.append(f"{place}\n  no {status or 'active'} record holds {text!r}")
        return found

    async def _records(self, where: Mapping[str, Any], status: str) -> list[Fact]:
        response = await self._client.bus.call(ListFacts(status=status, limit=MOST_RECORDS, **where))
        return list(response.facts)

    async def _forget(self, wanted: Forgotten, place: str, where: dict[str, Any], conversation_id: str) -> None:
        level = wanted.scope or "record"
        ids = [fact.id for fact in await self._find(wanted.text, where, place)] if level == "record" else []
        payload = {"level": level, "ids": ids, "conversation_id": conversation_id if level == "conversation" else ""}
        response = await self._client.bus.call(SubmitJob(kind="forget", payload=json.dumps(payload), **where))
        receipt = json.loads(response.data or "{}")
        removed = sum(counts["removed"] for counts in receipt.get("places", {}).values())
        if not receipt.get("complete"):
            self.faults.append(f"{place}\n  the receipt is not complete: {receipt}")
        if wanted.removed is not None and removed < wanted.removed:
            self.faults.append(f"{place}\n  the receipt names {removed} removed records, expected {wanted.removed}: {receipt}")

    async def _compare_store(self, expected: ExpectedStore, place: str) -> None:
        where: dict[str, Any] = {"user": self._user(expected.person), "collection": expected.collection}
        if expected.person == "shared":
            where = {"user": "", "collection": f"{self._conversation.name}-{expected.collection}"[:100]}
        await self._settle(where, place)
        records = [
            fact for status in ("active", "superseded", "quarantined", "undone") for fact in await self._records(where, status)
        ]
        episodes = await self._client.bus.call(ListEpisodes(limit=MOST_RECORDS, **where))
        found = compare_store(expected, records, episodes.episodes)
        if found:
            listed = [f"    {each.status} {each.kind} {each.trust}: {each.content[:160]}" for each in records]
            listed += [f"    episode: {each.goal[:80]} -> {each.outcome[:80]}" for each in episodes.episodes]
            asked = [f"    {name}: {answer[:200]}" for name, answer in self._script.asked[-12:]]
            self.faults.append(
                "\n".join([place, *(f"  {fault}" for fault in found), "  stored:", *listed, "  background answers:", *asked])
            )
