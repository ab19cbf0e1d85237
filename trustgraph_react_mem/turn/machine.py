"""The state machine of one request, without I/O: ``step(turn, event) -> (turn, effects)``.

Invariants:
- ``LEGAL`` defines the allowed events of each phase and the phases that they lead to.  Others raise ``IllegalEvent``.
- At most ``max_iterations`` steps run a tool.  Then one closing call asks for the answer.  If it gives none, the best text so
  far is the answer.  A turn fails only if the model cannot be reached, or gives no text at all.
- If a text contains no decision, the model is asked once more in the same step.  Then the best text is used.
- The record is published before the final message.  If that fails, the failure is reported and the answer is sent anyway.
- The state holds all results of effects: the runner keeps nothing between effects, and performs each with the new state.
- The results of all steps stay in the working memory until the end, verbatim or condensed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from ..memory.ports import Switches
from ..recall.records import Recalled
from ..rerank.citations import Citations
from . import events as e
from .decisions import FinalAnswer, RuleChanges, Unparsed
from .working import Step, WorkingMemory, condense, step_tokens

Phase = Literal["new", "recalling", "thinking", "acting", "condensing", "publishing", "done", "failed"]
Stage = Literal["recall", "model", "tools", "condense", "publish"]
TIMED_OUT = "the turn reached its limit of {limit_s} s (agent-mem key turn-timeout-s)"
NO_ANSWER = (
    "the model gave no answer: its output was empty, or only reasoning, in two attempts; check the model and its output limit"
)
CLOSING = "No steps are left. Do not use a tool. Write the Final Answer now from what you have found out."


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    max_iterations: int = 10
    working_memory_threshold: int = 2000  # tokens
    working_memory_keep: int = 3
    repairs: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnState:
    """The complete state of one request.

    Attributes:
        number: number of the current step, from 1.
        steps: the steps of this turn, verbatim.  ``memory`` also holds steps of the request's history, and may condense.
        draft: the newest text of the model without a decision, unless a tool has given a result since.
        intention: the newest thought of a tool call, also of one that could not be read.
        streamed: the part of the newest answer that the person has seen.
        rules: the rules that the user gave or withdrew in this turn, by the outputs of all steps.
        reading_off: the person switched reading off, so nothing was recalled and no tool reads memory.
        tool_state: decides which tools may be used (TrustGraph's ``applicable-states``).
        stock_prompt: the stock prompt is used: memory is off, the setting says so, or this package's prompt is not installed.
        timings_ms: time spent by stage, milliseconds.
    """

    phase: Phase = "new"
    limits: Limits = field(default_factory=Limits)
    memory: WorkingMemory = field(default_factory=WorkingMemory)
    number: int = 1
    steps: tuple[Step, ...] = ()
    closing: bool = False
    repairs: int = 0
    hint: str = ""
    publish: bool = False
    stores: bool = False
    pending: Step | None = None
    condensing: tuple[Step, ...] = ()
    draft: str = ""
    intention: str = ""
    answer: str = ""
    reason: e.Reason = "final-answer"
    streamed: str = ""
    recalled: Recalled | None = None
    reading_off: bool = False
    citations: Citations | None = None
    rules: RuleChanges = field(default_factory=RuleChanges)
    tool_state: str = ""
    stock_prompt: bool = False
    notice: str = ""
    job_id: str = ""
    usage: e.Usage = field(default_factory=e.Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return self.phase in ("done", "failed")


class IllegalEvent(Exception):
    """An event that the current phase does not allow.  Always a bug of the runner."""


LEGAL: Mapping[Phase, Mapping[type, frozenset[Phase]]] = {
    "new": {e.Started: frozenset({"recalling", "thinking"})},
    "recalling": {e.RecallDone: frozenset({"thinking"})},
    "thinking": {
        e.ModelDone: frozenset({"thinking", "acting", "publishing", "done", "failed"}),
        e.PromptAbsent: frozenset({"thinking"}),
        e.ModelFailed: frozenset({"failed"}),
        e.TimeIsUp: frozenset({"publishing", "done", "failed"}),
    },
    "acting": {e.ToolDone: frozenset({"thinking", "condensing"}), e.TimeIsUp: frozenset({"publishing", "done", "failed"})},
    "condensing": {e.Condensed: frozenset({"thinking"}), e.TimeIsUp: frozenset({"publishing", "done", "failed"})},
    "publishing": {e.Published: frozenset({"done"}), e.PublishRefused: frozenset({"done"})},
    "done": {},
    "failed": {},
}

Effects = tuple[e.Effect, ...]


def step(turn: TurnState, event: e.Event) -> tuple[TurnState, Effects]:
    """The next state, and the effects to perform in this order.

    Raises:
        IllegalEvent: the phase does not allow the event.
    """
    allowed = LEGAL[turn.phase].get(type(event))
    if allowed is None:
        raise IllegalEvent(f"{type(event).__name__} may not come while {turn.phase}")
    then, effects = _HANDLERS[type(event)](turn, event)
    if then.phase not in allowed:
        raise IllegalEvent(f"{type(event).__name__} may not lead from {turn.phase} to {then.phase}")
    return then, effects


def _on_started(turn: TurnState, event: e.Started) -> tuple[TurnState, Effects]:
    turn = replace(turn, number=turn.memory.count + 1, publish=event.publish, stores=event.stores)
    if event.recall:
        return replace(turn, phase="recalling"), ("recall",)
    return _think(turn)


def _on_recall_done(turn: TurnState, event: e.RecallDone) -> tuple[TurnState, Effects]:
    turn = _add_costs(turn, "recall", event.spent_ms)
    recalled = event.recalled
    if recalled is None:
        return _think(turn)
    # The services return no records while reading is off.  The switch also removes the memory tools and the recall message.
    switches = recalled.switches or Switches()
    turn = replace(
        turn,
        publish=turn.publish and switches.write,
        stores=turn.stores and switches.write,
        reading_off=not switches.read,
    )
    if turn.reading_off:
        return _think(turn)
    turn, effects = _think(replace(turn, recalled=recalled))
    return turn, ("show-recalled", *effects)


def _think(turn: TurnState) -> tuple[TurnState, Effects]:
    closing = turn.number > turn.limits.max_iterations
    return _call_model(replace(turn, phase="thinking", closing=closing, repairs=0), CLOSING if closing else "")


def _call_model(turn: TurnState, hint: str) -> tuple[TurnState, Effects]:
    return replace(turn, hint=hint), ("call-model",)


def _on_prompt_absent(turn: TurnState, event: e.PromptAbsent) -> tuple[TurnState, Effects]:
    if turn.stock_prompt:
        raise IllegalEvent("PromptAbsent may come only once: the stock prompt has no substitute")
    return _call_model(replace(turn, stock_prompt=True), turn.hint)


def _on_model_done(turn: TurnState, event: e.ModelDone) -> tuple[TurnState, Effects]:
    decision = event.decision
    turn = _add_costs(turn, "model", event.spent_ms, event.usage)
    turn = replace(turn, streamed=event.streamed, rules=turn.rules.add(event.rules))
    thought = e.SayThought(text=decision.thought)
    if isinstance(decision, FinalAnswer):
        reason: e.Reason = "max-iterations" if turn.closing else "final-answer"
        return _end(replace(turn, citations=event.citations), decision.text, reason, (thought,))
    if isinstance(decision, Unparsed):
        if decision.calling:
            turn = replace(turn, intention=decision.text or turn.intention)
        else:
            turn = replace(turn, draft=decision.text or turn.draft)
        if turn.repairs < turn.limits.repairs:
            hint = f"{decision.reason} {CLOSING if turn.closing else 'Answer again in the exact format.'}"
            return _call_model(replace(turn, repairs=turn.repairs + 1), hint)
        return _end_without_answer(turn, thought)
    turn = replace(turn, intention=decision.thought or turn.intention)
    if turn.closing:
        return _end_without_answer(turn, thought)
    arguments = {**decision.arguments, **({"": decision.bare} if decision.bare else {})}
    pending = Step(number=turn.number, thought=decision.thought, action=decision.name, arguments=arguments)
    show = e.ShowStep(duration_ms=int(event.spent_ms), usage=event.usage)
    return replace(turn, phase="acting", pending=pending), (thought, show, e.RunTool(call=decision))


def _end_without_answer(turn: TurnState, thought: e.SayThought) -> tuple[TurnState, Effects]:
    answer = _choose_found(turn) or turn.intention  # what was found out, else why a tool was called
    if not answer:
        return replace(turn, phase="failed"), (thought, e.Fail(message=NO_ANSWER))
    return _end(turn, answer, "max-iterations" if turn.closing else "best-effort", (thought,))


def _on_tool_done(turn: TurnState, event: e.ToolDone) -> tuple[TurnState, Effects]:
    turn = _add_costs(turn, "tools", 0.0 if event.about is None else event.spent_ms)
    taken = replace(cast(Step, turn.pending), observation=event.observation, failed=event.failed, about=event.about or "")
    turn = replace(
        turn,
        memory=turn.memory.add(taken),
        steps=(*turn.steps, taken),
        number=taken.number + 1,
        pending=None,
        draft="" if event.observation and not event.failed else turn.draft,
        tool_state=turn.tool_state if event.tool_state is None else event.tool_state,
        recalled=event.recalled or turn.recalled,
    )
    said = e.SayObservation(private=event.private, duration_ms=int(event.spent_ms), explain_uri=event.explain_uri)
    older = turn.memory.older(turn.limits.working_memory_keep)
    if older and turn.memory.tokens > turn.limits.working_memory_threshold:
        turn = replace(turn, condensing=older)
        if sum(map(step_tokens, older)) > turn.limits.working_memory_threshold // 4:
            return replace(turn, phase="condensing"), (said, "condense")
        turn = _condense(turn, "")  # too short to be worth a model call
    turn, effects = _think(turn)
    return turn, (said, *effects)


def _on_condensed(turn: TurnState, event: e.Condensed) -> tuple[TurnState, Effects]:
    return _think(_condense(_add_costs(turn, "condense", event.spent_ms, event.usage), event.summary))


def _condense(turn: TurnState, summary: str) -> TurnState:
    budget = max(100, turn.limits.working_memory_threshold // 3)
    local = condense(turn.condensing, condensed=turn.memory.condensed, budget=budget)
    memory = turn.memory.compress(summary.strip() or local, covered=turn.condensing)
    return replace(turn, memory=memory, condensing=())


def _end(turn: TurnState, answer: str, reason: e.Reason, said: Effects) -> tuple[TurnState, Effects]:
    turn = replace(turn, answer=answer, reason=reason)
    if turn.publish:
        return replace(turn, phase="publishing"), (*said, "publish")
    return replace(turn, phase="done"), (*said, "finish")


def _on_published(turn: TurnState, event: e.Published) -> tuple[TurnState, Effects]:
    return replace(_add_costs(turn, "publish", event.spent_ms), phase="done", job_id=event.job_id), ("finish",)


def _on_publish_refused(turn: TurnState, event: e.PublishRefused) -> tuple[TurnState, Effects]:
    text = f"This turn {'may' if event.unsure else 'will'} not be remembered: {event.message}"
    return replace(_add_costs(turn, "publish", event.spent_ms), phase="done", notice=text), ("say-notice", "finish")


def _add_costs(turn: TurnState, stage: Stage, spent_ms: float, usage: e.Usage | None = None) -> TurnState:
    """Add time and tokens.  Stages that took no time are left out: a call of an unknown tool is not a use of tools."""
    timings = turn.timings_ms
    if spent_ms:
        timings = {**timings, stage: round(timings.get(stage, 0.0) + spent_ms, 3)}
    return replace(turn, timings_ms=timings, usage=turn.usage.add(usage or e.Usage()))


def _on_model_failed(turn: TurnState, event: e.ModelFailed) -> tuple[TurnState, Effects]:
    return replace(turn, phase="failed"), (e.Fail(message=event.message),)


def _on_time_is_up(turn: TurnState, event: e.TimeIsUp) -> tuple[TurnState, Effects]:
    stages: Mapping[Phase, Stage] = {"thinking": "model", "acting": "tools", "condensing": "condense"}
    turn = replace(_add_costs(turn, stages[turn.phase], event.spent_ms), rules=turn.rules.add(event.rules))
    limit = TIMED_OUT.format(limit_s=event.limit_s)
    answer = event.streamed.strip() or _choose_found(turn)
    if not answer:
        return replace(turn, phase="failed"), (e.Fail(message=f"{limit} without an answer: the model or a tool is too slow"),)
    notice = f"The answer may be incomplete: {limit}."
    return _end(replace(turn, streamed=event.streamed, notice=notice), answer, "best-effort", ("say-notice",))


def _choose_found(turn: TurnState) -> str:
    """The newest text of the model that was no tool call, or the last good result if that is newer."""
    if turn.draft:
        return turn.draft
    found = [taken.observation for taken in turn.memory.steps if taken.observation and not taken.failed]
    return found[-1] if found else turn.memory.condensed


_HANDLERS: Mapping[type, Callable[[TurnState, e.Event], tuple[TurnState, Effects]]] = cast(
    "Mapping[type, Callable[[TurnState, e.Event], tuple[TurnState, Effects]]]",
    {
        e.Started: _on_started,
        e.RecallDone: _on_recall_done,
        e.ModelDone: _on_model_done,
        e.PromptAbsent: _on_prompt_absent,
        e.ModelFailed: _on_model_failed,
        e.TimeIsUp: _on_time_is_up,
        e.ToolDone: _on_tool_done,
        e.Condensed: _on_condensed,
        e.Published: _on_published,
        e.PublishRefused: _on_publish_refused,
    },
)
