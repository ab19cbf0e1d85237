"""The runner: performs the machine's effects with the model, the tools, the memory and the listener.

Invariants:
- Thoughts and answers are sent in the order and form of the stock agent.
- Citations, and the lines that change rules, never reach the user.
- The record is confirmed before the dialogue is closed.
- A turn ends without an answer only if the model cannot be reached or the time is up.
- Model, tools and summary share the turn's time limit.  The record follows within ``publish_deadline_s``.
- The runner has no state: results of effects enter the turn's state by events.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

from ...errors import MemoryServiceError, ModelAnswerError, ModelUnavailable, Unconfirmed
from ...failure_log import describe_error, log_failure
from ...recall.records import Recalled
from ...turn import events
from ...turn.decisions import Decision, FinalAnswer, RuleChanges, ToolCall, Unparsed
from ...turn.events import Effect, Event, Usage
from ...turn.machine import Limits, TurnState, step
from ...turn.prompt import COMPRESS, REACT, REACT_MEM, compress_variables, react_mem_variables, react_variables
from ...turn.record import TurnRecord, changes_note, cited_note
from ...turn.request import TurnRequest
from ...turn.rule_lines import read_changes
from ...turn.tools import Tool, add_memory_tools, find_tool
from ...turn.working import Step, WorkingMemory
from .answer_stream import AnswerStream
from .memory import PublishTurn
from .messages import StockMessages
from .model import PromptMissing, PromptModel
from .tools import FlowToolbox

logger = logging.getLogger(__name__)


class ReactMemAgentManager:
    """The loop of one request.  Source: agentic memory specification, "Core Loop: Memory-Aware Reasoning".

    Arguments:
        recall: recalls memories.  None: this turn reads no memory.
        publish: publishes the record.  None: this turn is not recorded.
        publish_deadline_s: maximum seconds until the bus confirms the record.
    """

    def __init__(
        self,
        request: TurnRequest,
        *,
        model: PromptModel,
        toolbox: FlowToolbox,
        listener: StockMessages,
        recall: Callable[[TurnRequest], Awaitable[Recalled]] | None = None,
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
        self._started_s = time.monotonic()
        self._limit_s = request.settings.turn_timeout_s
        self._ends_at = 0.0  # loop time

    async def run(self) -> TurnState:
        """Run the turn to its end.  Errors of model, tools and memory do not raise."""
        request, settings = self._request, self._request.settings
        self._ends_at = asyncio.get_running_loop().time() + self._limit_s
        turn = TurnState(
            limits=Limits(
                max_iterations=settings.max_iterations,
                working_memory_threshold=request.shares.trace,
            ),
            memory=WorkingMemory(steps=request.history),
            tool_state=request.state,
            stock_prompt=not request.memory or settings.agent_prompt == REACT,
        )
        if not request.history:
            await self._listener.started()
        event: Event = events.Started(
            recall=self._recall is not None,
            publish=request.record and self._publish is not None,
            stores=request.stores and self._recall is not None,
        )
        while not turn.is_over:
            turn, effects = step(turn, event)
            for effect in effects:  # the last effect of an open phase returns the next event
                started_s = time.monotonic()
                following = await self._perform(turn, effect)
                if isinstance(following, events.Timed):
                    following = replace(following, spent_ms=(time.monotonic() - started_s) * 1000)
                event = following or event
        return turn

    async def _perform(self, turn: TurnState, effect: Effect) -> Event | None:
        match effect:
            case "recall":
                return await self._gather()
            case "show-recalled":
                await self._listener.recalled(cast(Recalled, turn.recalled))
            case "call-model":
                return await self._call_model(turn)
            case events.SayThought():
                if not self._request.streaming:  # else it was streamed already
                    await self._listener.thought(turn.number, effect.text, last=True)
            case events.ShowStep():
                pending, tools = cast(Step, turn.pending), self._tools(turn)
                await self._listener.called(pending, tools=tools, duration_ms=effect.duration_ms, usage=effect.usage)
            case events.RunTool():
                return await self._run_tool(turn, effect.call)
            case events.SayObservation():
                await self._listener.observed(
                    turn.steps[-1], private=effect.private, duration_ms=effect.duration_ms, explain_uri=effect.explain_uri
                )
            case "condense":
                return await self._condense(turn)
            case "publish":
                return await self._publish_record(turn)
            case "say-notice":
                await self._listener.notice(turn.notice)
            case "finish":
                await self._finish(turn)
            case events.Fail():
                await self._listener.failed(effect.message)
        return None

    # -- effects that return an event

    async def _gather(self) -> Event:
        assert self._recall is not None
        try:
            recalled = await self._recall(self._request)
        except Exception:
            # Broad because recall must never fail a turn.  Parts report their own failures, so this is a bug.
            log_failure(logger, "recall failed, the turn continues without memory")
            return events.RecallDone()
        return events.RecallDone(recalled=recalled)

    async def _call_model(self, turn: TurnState) -> Event:
        request, tools = self._request, () if turn.closing else self._tools(turn)
        shown = len(turn.recalled.citable) if turn.recalled else 0
        answer = AnswerStream(
            self._listener,
            turn.number,
            shown=shown,
            strip=request.memory,
            is_tool=lambda name: find_tool(tools, name) is not None,
            before=turn.streamed,
        )
        on_text = answer.feed if request.streaming else None
        try:
            async with asyncio.timeout_at(self._ends_at):
                if turn.stock_prompt:
                    reply = await self._model.ask(REACT, react_variables(request, turn, tools), on_text)
                else:
                    reply = await self._model.ask(REACT_MEM, react_mem_variables(request, turn, tools), on_text)
        except TimeoutError:
            time_is_up = self._time_is_up(answer.in_message if request.streaming else "")
            return replace(time_is_up, rules=self._read_rules(turn, answer.rules))
        except PromptMissing:
            if turn.stock_prompt:
                raise
            logger.warning(
                "prompt agent-react-mem is not installed, or its template has an error: using the stock prompt with memories "
                "in the question"
            )
            return events.PromptAbsent()
        except ModelUnavailable as error:
            return events.ModelFailed(message=str(error))
        except ModelAnswerError as error:
            decision: Decision = Unparsed(thought="", text="", reason=str(error))
            usage = Usage()
        else:
            decision = await answer.end(reply.text)
            usage = reply.usage
        return events.ModelDone(
            decision=self._resolve(turn, decision),
            rules=self._read_rules(turn, answer.rules),
            usage=usage,
            streamed=answer.in_message if request.streaming else "",
            citations=answer.citations if isinstance(decision, FinalAnswer) else None,
        )

    async def _run_tool(self, turn: TurnState, call: ToolCall) -> Event:
        tools = self._tools(turn)
        tool = find_tool(tools, call.name)
        if tool is None:
            names = ", ".join(tool.name for tool in tools) or "none"
            unknown = f"Error: there is no tool {call.name!r}. The tools are: {names}"
            return events.ToolDone(observation=unknown, failed=True, about=None)
        text, explain_uri, failed, recalled = "", "", False, None
        try:
            async with asyncio.timeout_at(self._ends_at) as limit:
                result = await self._toolbox.run(
                    tool, call.arguments, request=self._request, number=turn.number, recalled=turn.recalled
                )
            text, explain_uri, recalled = result.text.strip(), result.explain_uri, result.recalled
        except Exception as error:
            if limit.expired():
                return self._time_is_up()
            # Broad because any failure of a tool is shown to the model, which can try another way.
            logger.warning("tool %s failed: %s", tool.name, describe_error(error))
            text, failed = f"Error: {error or type(error).__name__}", True
        return events.ToolDone(
            observation=text,
            failed=failed,
            about=tool.description,
            private=tool.kind == "memory",
            explain_uri=explain_uri,
            tool_state=tool.state_after(turn.tool_state),
            recalled=recalled,
        )

    async def _condense(self, turn: TurnState) -> Event:
        variables = compress_variables(self._request, turn.condensing, turn.memory.condensed)
        try:
            async with asyncio.timeout_at(self._ends_at):
                reply = await self._model.ask(COMPRESS, variables, None)
        except TimeoutError:
            return self._time_is_up()
        except MemoryServiceError as error:
            logger.warning("condensing with the model failed, condensing locally: %s", describe_error(error))
            return events.Condensed()
        return events.Condensed(summary=reply.text, usage=reply.usage)

    def _time_is_up(self, streamed: str = "") -> events.TimeIsUp:
        logger.warning("timeout: a turn reached its limit of %d s, ending it", self._limit_s)
        return events.TimeIsUp(limit_s=self._limit_s, streamed=streamed)

    async def _publish_record(self, turn: TurnState) -> Event:
        assert self._publish is not None
        record = TurnRecord(
            request=self._request,
            answer=turn.answer,
            # Relative to ``asked_at``, which may be in the past (replays and imports).
            answered_at=self._request.asked_at + timedelta(seconds=time.monotonic() - self._started_s),
            steps=turn.steps,
            succeeded=turn.reason == "final-answer",
            recalled=turn.recalled,
            citations=turn.citations,
            rules=turn.rules.made,
            timings_ms=turn.timings_ms,
        )
        try:
            async with asyncio.timeout(self._publish_deadline_s):
                job_id = await self._publish(record)
        except TimeoutError:
            message = "the message bus did not confirm it in time"
            return events.PublishRefused(message=message, unsure=True)
        except MemoryServiceError as error:
            unsure = isinstance(error, Unconfirmed)
            return events.PublishRefused(message=str(error), unsure=unsure)
        return events.Published(job_id=job_id)

    async def _finish(self, turn: TurnState) -> None:
        cited = None
        if self._request.memory:
            cited = cited_note(
                turn.recalled.citable if turn.recalled else (),
                turn.citations,
                timings_ms=turn.timings_ms,
                job_id=turn.job_id,
                recorded=turn.job_id != "",
                notice=turn.notice,
                **changes_note(turn.rules.made),
            )
        streamed = bool(turn.streamed) and turn.streamed.strip() == turn.answer.strip()
        if turn.streamed and not streamed:
            await self._listener.answer_withdrawn()
        await self._listener.finished(
            turn.number, turn.answer, reason=turn.reason, streamed=streamed, usage=turn.usage, cited=cited
        )

    def _read_rules(self, turn: TurnState, lines: Sequence[str]) -> RuleChanges:
        """The changes of rules that an output says.  None, if the model may not change any."""
        if not (lines and turn.publish and self._request.shares.rule_lines):
            return RuleChanges()
        return read_changes(lines, self._request.question, turn.recalled.instruction_ids if turn.recalled else ())

    # -- tools

    def _tools(self, turn: TurnState) -> tuple[Tool, ...]:
        """The tools that may be used in this state."""
        request = self._request
        tools = request.tools.available(request.groups, turn.tool_state)
        if not (request.memory and request.settings.memory_tools):
            return tools
        read = self._recall is not None and not turn.reading_off
        return add_memory_tools(tools, read=read, store=turn.stores)

    def _resolve(self, turn: TurnState, decision: Decision) -> Decision:
        """Replace the tool name by its configured spelling, and name a bare argument."""
        tool = find_tool(self._tools(turn), decision.name) if isinstance(decision, ToolCall) else None
        if tool is None or not isinstance(decision, ToolCall):
            return decision
        return replace(decision, name=tool.name, arguments=tool.name_arguments(decision.arguments, decision.bare), bare="")
