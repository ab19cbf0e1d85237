"""The runner: performs the machine's effects through small ports, in one process from the question to the answer.

What is kept: a thought and an answer are said in the order and form of the stock agent; citations never reach the user; the
record is confirmed before the dialogue is closed; only a model that cannot be reached ends a turn without an answer.
"""

import asyncio
import logging
import time
from dataclasses import replace
from datetime import timedelta

from ..errors import MemoryServiceError, ModelAnswerError, ModelUnavailable
from ..rerank.citations import Citations
from . import machine
from .answer_stream import AnswerStream
from .machine import Event, Limits, TurnState
from .parse import Decision, FinalAnswer, ToolCall, Unparsed
from .ports import (
    OnText,
    PromptMissing,
    PublishTurn,
    ReactModel,
    Recall,
    Reply,
    Toolbox,
    TurnEvents,
    TurnOutcome,
    TurnRequest,
    Usage,
)
from .prompt import COMPRESS, REACT, REACT_MEM, PromptContext, compress_variables, react_mem_variables, react_variables
from .record import RecalledContext, TurnRecord, cited_note
from .tools import Tool, with_memory_tools
from .working import Step, WorkingMemory

logger = logging.getLogger(__name__)


class ReactMemAgentManager:
    """The loop of one request.  Source: agentic memory specification, "Core Loop: Memory-Aware Reasoning"."""

    def __init__(
        self,
        request: TurnRequest,
        *,
        model: ReactModel,
        toolbox: Toolbox,
        listener: TurnEvents,
        recall: Recall | None = None,
        publish: PublishTurn | None = None,
        publish_deadline_s: float = 10.0,
    ) -> None:
        self._request = request
        self._model = model
        self._toolbox = toolbox
        self._listener = listener
        self._recall = recall
        self._publish = publish
        self._publish_deadline_s = publish_deadline_s
        self._situation = PromptContext(
            question=request.question,
            context="\n\n".join(part for part in (request.settings.additional_context, request.framing) if part),
            now=request.asked_at,
            context_window=request.settings.context_window,
            keep=request.settings.working_memory_keep,
        )
        self._prompt = REACT_MEM if request.memory else REACT
        self._state = request.state
        self._recalled: RecalledContext | None = None
        self._citations: Citations | None = None
        self._streamed = ""
        self._steps: list[Step] = []
        self._usage = Usage()
        self._last_call = (0, Usage())
        self._last_tool = (0, "", False)
        self._timings: dict[str, float] = {}
        self._started_s = time.monotonic()
        self._job_id = ""
        self._notice = ""

    async def run(self) -> TurnOutcome:
        self._started_s = time.monotonic()
        settings = self._request.settings
        history = self._request.history
        turn = TurnState(
            limits=Limits(
                max_iterations=settings.max_iterations,
                working_memory_threshold=settings.working_memory_threshold,
                working_memory_keep=settings.working_memory_keep,
            ),
            memory=WorkingMemory(steps=history),
        )
        if not history:
            await self._listener.started()
        event: Event = machine.Started(
            recall=self._recall is not None,
            publish=self._request.record and self._publish is not None,
        )
        while True:
            turn, effects = machine.step(turn, event)
            following: Event | None = None
            for effect in effects:
                following = await self._perform(turn, effect) or following
            if turn.over:
                break
            if following is None:
                raise RuntimeError(f"nothing follows while {turn.phase}")  # the machine ends every open phase with an effect
            event = following
        return TurnOutcome(
            answer=turn.answer,
            reason=turn.reason if turn.phase == "done" else None,
            iterations=turn.number,
            recorded=bool(self._job_id),
            usage=self._usage,
            timings_ms=dict(self._timings),
        )

    async def _perform(self, turn: TurnState, effect: machine.Effect) -> Event | None:
        match effect:
            case machine.Recall():
                return await self._remember()
            case machine.CallModel():
                return await self._call(turn, effect)
            case machine.SayThought():
                if not self._request.streaming:  # else it was said as it came
                    await self._listener.thought(effect.number, effect.text, last=True)
            case machine.ShowStep():
                duration_ms, usage = self._last_call
                await self._listener.step(effect.step, tools=self._tools(), duration_ms=duration_ms, usage=usage)
            case machine.RunTool():
                return await self._run_tool(effect)
            case machine.SayObservation():
                self._steps.append(effect.step)
                duration_ms, uri, private = self._last_tool
                await self._listener.observed(effect.step, private=private, duration_ms=duration_ms, explain_uri=uri)
            case machine.Condense():
                return await self._condense(effect)
            case machine.Publish():
                return await self._record(turn, effect)
            case machine.SayNotice():
                self._notice = effect.text
                await self._listener.notice(effect.text)
            case machine.Finish():
                await self._finish(effect)
            case machine.Fail():
                await self._listener.failed(effect.message)
        return None

    # -- effects

    async def _remember(self) -> Event:
        assert self._recall is not None
        started = time.monotonic()
        try:
            self._recalled = await self._recall()
        except Exception:
            # Recall must never fail a turn; each part names its own failure, so this is a fault of ours.
            logger.warning("recall failed as a whole, the turn goes on without memory", exc_info=True)
        else:
            self._situation = replace(self._situation, recalled=self._recalled.variables())
            await self._listener.recalled(self._recalled)
        self._spent("recall", started)
        return machine.RecallDone()

    async def _call(self, turn: TurnState, effect: machine.CallModel) -> Event:
        started = time.monotonic()
        speech = AnswerStream(self._listener, effect.number, shown=self._shown(), strip=self._request.memory)
        on_text = speech.feed if self._request.streaming else None
        try:
            reply = await self._ask(turn, effect, on_text)
        except ModelUnavailable as error:
            return machine.ModelFailed(message=str(error))
        except ModelAnswerError as error:
            decision: Decision = Unparsed(thought="", text="", reason=str(error))
            usage = Usage()
        else:
            decision = await speech.end(reply.text)
            usage = reply.usage
        self._streamed = speech.answered
        if speech.citations is not None and isinstance(decision, FinalAnswer):
            self._citations = speech.citations
        self._usage = self._usage.plus(usage)
        self._last_call = (self._spent("model", started), usage)
        return machine.ModelDone(decision=self._named(decision))

    async def _ask(self, turn: TurnState, effect: machine.CallModel, on_text: OnText | None) -> Reply:
        tools = () if effect.closing else self._tools()
        if self._prompt == REACT_MEM:
            try:
                variables = react_mem_variables(self._situation, turn.memory, tools, hint=effect.hint)
                return await self._model.ask(REACT_MEM, variables, on_text)
            except PromptMissing:
                logger.warning("prompt agent-react-mem is not installed, the stock one is used with memories in the question")
                self._prompt = REACT
        return await self._model.ask(REACT, react_variables(self._situation, turn.memory, tools, hint=effect.hint), on_text)

    async def _run_tool(self, effect: machine.RunTool) -> Event:
        started = time.monotonic()
        tool = self._tool(effect.call.name)
        if tool is None:
            names = ", ".join(tool.name for tool in self._tools()) or "none"
            self._last_tool = (0, "", False)
            return machine.ToolDone(
                observation=f"Error: there is no tool {effect.call.name!r}. The tools are: {names}", failed=True
            )
        uri = ""
        try:
            result = await self._toolbox.run(tool, effect.call.arguments, number=effect.number)
            done = machine.ToolDone(observation=result.text.strip())
            uri = result.explain_uri
        except Exception as error:
            # Whatever a tool fails with is told to the model, which can try another way.
            logger.warning("tool failed", extra={"tool": tool.name, "error": type(error).__name__})
            done = machine.ToolDone(observation=f"Error: {error or type(error).__name__}", failed=True)
        self._state = tool.state_after(self._state)
        self._last_tool = (self._spent("tools", started), uri, tool.kind == "memory")
        return done

    async def _condense(self, effect: machine.Condense) -> Event:
        started = time.monotonic()
        variables = compress_variables(
            self._request.question, effect.steps, effect.condensed, context_window=self._request.settings.context_window
        )
        try:
            reply = await self._model.ask(COMPRESS, variables, None)
        except MemoryServiceError as error:
            logger.warning("condensing by the model failed, done locally", extra={"error": type(error).__name__})
            return machine.Condensed()
        finally:
            self._spent("condense", started)
        self._usage = self._usage.plus(reply.usage)
        return machine.Condensed(summary=reply.text)

    async def _record(self, turn: TurnState, effect: machine.Publish) -> Event:
        assert self._publish is not None
        started = time.monotonic()
        request = self._request
        record = TurnRecord(
            conversation_id=request.conversation_id,
            invocation_id=request.invocation_id,
            question=request.question,
            answer=effect.answer,
            speaker=request.speaker,
            asked_at=request.asked_at,
            answered_at=request.asked_at + timedelta(seconds=time.monotonic() - self._started_s),
            steps=tuple(self._steps),
            succeeded=turn.reason == "final-answer",
            flow=request.flow,
            settings=request.settings,
            end_of_conversation=request.end_of_conversation,
            recalled=self._recalled,
            citations=self._citations,
            timings_ms=dict(self._timings),
        )
        try:
            async with asyncio.timeout(self._publish_deadline_s):
                self._job_id = await self._publish(record)
        except TimeoutError:
            return machine.PublishRefused(message="the message bus did not confirm it in time")
        except MemoryServiceError as error:
            return machine.PublishRefused(message=str(error))
        finally:
            self._spent("publish", started)
        return machine.Published()

    async def _finish(self, effect: machine.Finish) -> None:
        cited = None
        if self._request.memory:
            cited = cited_note(
                self._recalled,
                self._citations,
                timings_ms=self._timings,
                job_id=self._job_id,
                recorded=effect.recorded,
                notice=self._notice,
            )
        streamed = self._request.streaming and bool(self._streamed) and self._streamed.strip() == effect.answer.strip()
        await self._listener.finished(
            effect.number, effect.answer, reason=effect.reason, streamed=streamed, usage=self._usage, cited=cited
        )

    # -- what the effects ask

    def _shown(self) -> int:
        return len(self._recalled.facts) if self._recalled else 0

    def _tools(self) -> tuple[Tool, ...]:
        tools = self._request.tools.available(self._request.groups, self._state)
        if self._request.memory and self._request.settings.memory_tools:
            return with_memory_tools(tools, read=self._recall is not None, store=self._request.record)
        return tools

    def _tool(self, name: str) -> Tool | None:
        tools = self._tools()
        wanted = _folded(name)
        exact = [tool for tool in tools if tool.name == name]
        near = [tool for tool in tools if _folded(tool.name) == wanted]
        return exact[0] if exact else near[0] if len(near) == 1 else None

    def _named(self, decision: Decision) -> Decision:
        if not isinstance(decision, ToolCall):
            return decision
        tool = self._tool(decision.name)
        if tool is None:
            return decision
        return replace(decision, name=tool.name, arguments=tool.named(decision.arguments, decision.bare), bare="")

    def _spent(self, stage: str, started: float) -> int:
        spent_ms = (time.monotonic() - started) * 1000
        self._timings[stage] = round(self._timings.get(stage, 0.0) + spent_ms, 3)
        return int(spent_ms)


def _folded(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
