"""One request as a state machine without input or output: ``step(turn, event) -> (turn, effects)``.

What is kept:
- ``LEGAL`` says which event may come in which phase and where it may lead; anything else raises ``IllegalEvent``.
- At most ``max_iterations`` steps run a tool; then one closing call asks for the answer, and if even that gives none, the
  best text so far is the answer.  A turn fails only when the model cannot be reached.
- A text that is no decision is asked for once more in the same step, then its best text is taken.
- The record is published before the answer is closed; a refusal is told, and the answer is given all the same.
- What a step found out stays in the working memory until the end, verbatim or condensed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from ..memory.ports import JsonValue
from .parse import Decision, FinalAnswer, ToolCall, Unparsed
from .working import Step, WorkingMemory, condense, step_tokens

Phase = Literal["new", "recalling", "thinking", "acting", "condensing", "publishing", "done", "failed"]
Reason = Literal["final-answer", "max-iterations", "best-effort"]
CLOSING = "No steps are left. Do not use a tool. Write the Final Answer now from what you have found out."


# ------------------------------------------------------------------------------------------------ events


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """``recall``: memory is on for this request; ``publish``: the turn is to be remembered."""

    recall: bool
    publish: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallDone:
    """What was recalled is kept by the runner; the machine only waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDone:
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDone:
    observation: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Condensed:
    """``summary`` empty: the model did not manage, and the local form is used."""

    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRefused:
    message: str


Event = Started | RecallDone | ModelDone | ModelFailed | ToolDone | Condensed | Published | PublishRefused


# ------------------------------------------------------------------------------------------------ effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """``hint`` is what the model is told beside the task; ``closing``: it gets no tools."""

    number: int
    hint: str = ""
    closing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SayThought:
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowStep:
    """Explain what is about to be done."""

    step: Step


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTool:
    number: int
    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class SayObservation:
    step: Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Condense:
    """Summarise these oldest steps (and the former summary)."""

    steps: tuple[Step, ...]
    condensed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SayNotice:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Explain the end, say the answer, close the dialogue."""

    number: int
    answer: str
    reason: Reason
    recorded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    message: str


Effect = Recall | CallModel | SayThought | ShowStep | RunTool | SayObservation | Condense | Publish | SayNotice | Finish | Fail


# ------------------------------------------------------------------------------------------------ the machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    max_iterations: int = 10
    working_memory_threshold: int = 2000  # tokens
    working_memory_keep: int = 3
    repairs: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnState:
    """Where one request stands.  ``number`` is the step being taken, from 1; ``draft`` the best answer so far."""

    phase: Phase = "new"
    limits: Limits = field(default_factory=Limits)
    memory: WorkingMemory = field(default_factory=WorkingMemory)
    number: int = 1
    closing: bool = False
    repairs: int = 0
    publish: bool = False
    pending: Step | None = None
    condensing: tuple[Step, ...] = ()
    draft: str = ""
    answer: str = ""
    reason: Reason = "final-answer"

    @property
    def over(self) -> bool:
        return self.phase in ("done", "failed")


class IllegalEvent(Exception):
    """An event that may not come in this phase: a fault of the runner, never of a person."""


LEGAL: Mapping[Phase, Mapping[type, frozenset[Phase]]] = {
    "new": {Started: frozenset({"recalling", "thinking"})},
    "recalling": {RecallDone: frozenset({"thinking"})},
    "thinking": {
        ModelDone: frozenset({"thinking", "acting", "publishing", "done"}),
        ModelFailed: frozenset({"failed"}),
    },
    "acting": {ToolDone: frozenset({"thinking", "condensing"})},
    "condensing": {Condensed: frozenset({"thinking"})},
    "publishing": {Published: frozenset({"done"}), PublishRefused: frozenset({"done"})},
    "done": {},
    "failed": {},
}

Effects = tuple[Effect, ...]


def step(turn: TurnState, event: Event) -> tuple[TurnState, Effects]:
    """The next state, and what is to be done, in this order.

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


def _started(turn: TurnState, event: Started) -> tuple[TurnState, Effects]:
    turn = replace(turn, number=turn.memory.count + 1, publish=event.publish)
    if event.recall:
        return replace(turn, phase="recalling"), (Recall(),)
    return _think(turn)


def _recalled(turn: TurnState, event: RecallDone) -> tuple[TurnState, Effects]:
    return _think(turn)


def _think(turn: TurnState) -> tuple[TurnState, Effects]:
    closing = turn.number > turn.limits.max_iterations
    hint = CLOSING if closing else ""
    then = replace(turn, phase="thinking", closing=closing, repairs=0)
    return then, (CallModel(number=turn.number, hint=hint, closing=closing),)


def _model_done(turn: TurnState, event: ModelDone) -> tuple[TurnState, Effects]:
    decision = event.decision
    thought = SayThought(number=turn.number, text=decision.thought)
    if isinstance(decision, FinalAnswer):
        reason: Reason = "max-iterations" if turn.closing else "final-answer"
        return _end(turn, decision.text, reason, (thought,))
    if isinstance(decision, Unparsed):
        draft = decision.text or turn.draft
        turn = replace(turn, draft=draft)
        if turn.repairs < turn.limits.repairs:
            hint = f"{decision.reason} {CLOSING if turn.closing else 'Answer again in the exact format.'}"
            return (
                replace(turn, repairs=turn.repairs + 1),
                (CallModel(number=turn.number, hint=hint, closing=turn.closing),),
            )
        return _end(turn, _best(turn), "max-iterations" if turn.closing else "best-effort", (thought,))
    if turn.closing:
        draft = decision.thought or turn.draft
        return _end(replace(turn, draft=draft), _best(replace(turn, draft=draft)), "max-iterations", (thought,))
    pending = Step(number=turn.number, thought=decision.thought, action=decision.name, arguments=_arguments(decision))
    return (
        replace(turn, phase="acting", pending=pending, draft=decision.thought or turn.draft),
        (thought, ShowStep(step=pending), RunTool(number=turn.number, call=decision)),
    )


def _arguments(call: ToolCall) -> Mapping[str, JsonValue]:
    return {**call.arguments, **({"": call.bare} if call.bare else {})}


def _tool_done(turn: TurnState, event: ToolDone) -> tuple[TurnState, Effects]:
    taken = replace(cast(Step, turn.pending), observation=event.observation, failed=event.failed)
    turn = replace(turn, memory=turn.memory.added(taken), number=taken.number + 1, pending=None)
    said: Effects = (SayObservation(step=taken),)
    older = turn.memory.older(turn.limits.working_memory_keep)
    if older and turn.memory.tokens > turn.limits.working_memory_threshold:
        turn = replace(turn, condensing=older)
        if sum(map(step_tokens, older)) > turn.limits.working_memory_threshold // 4:
            condense_them = Condense(steps=older, condensed=turn.memory.condensed)
            return replace(turn, phase="condensing"), (*said, condense_them)
        turn = _condense(turn, "")  # too little to be worth a call of the model
    turn, effects = _think(turn)
    return turn, (*said, *effects)


def _condensed(turn: TurnState, event: Condensed) -> tuple[TurnState, Effects]:
    return _think(_condense(turn, event.summary))


def _condense(turn: TurnState, summary: str) -> TurnState:
    budget = max(100, turn.limits.working_memory_threshold // 3)
    local = condense(turn.condensing, condensed=turn.memory.condensed, budget=budget)
    memory = turn.memory.compressed(summary.strip() or local, covered=turn.condensing)
    return replace(turn, memory=memory, condensing=())


def _end(turn: TurnState, answer: str, reason: Reason, said: Effects) -> tuple[TurnState, Effects]:
    turn = replace(turn, answer=answer, reason=reason)
    if turn.publish:
        return replace(turn, phase="publishing"), (*said, Publish(answer=answer))
    return replace(turn, phase="done"), (*said, _finish(turn, recorded=False))


def _finish(turn: TurnState, *, recorded: bool) -> Finish:
    return Finish(number=turn.number, answer=turn.answer, reason=turn.reason, recorded=recorded)


def _published(turn: TurnState, event: Published) -> tuple[TurnState, Effects]:
    return replace(turn, phase="done"), (_finish(turn, recorded=True),)


def _refused(turn: TurnState, event: PublishRefused) -> tuple[TurnState, Effects]:
    notice = SayNotice(text=f"This turn will not be remembered: {event.message}")
    return replace(turn, phase="done"), (notice, _finish(turn, recorded=False))


def _failed(turn: TurnState, event: ModelFailed) -> tuple[TurnState, Effects]:
    return replace(turn, phase="failed"), (Fail(message=event.message),)


def _best(turn: TurnState) -> str:
    """The best answer so far: what the model last said, else what was last found out."""
    if turn.draft:
        return turn.draft
    found = [taken.observation for taken in turn.memory.steps if taken.observation and not taken.failed]
    return found[-1] if found else turn.memory.condensed or "I could not work out an answer."


_HANDLERS: Mapping[type, Callable[[TurnState, Event], tuple[TurnState, Effects]]] = cast(
    "Mapping[type, Callable[[TurnState, Event], tuple[TurnState, Effects]]]",
    {
        Started: _started,
        RecallDone: _recalled,
        ModelDone: _model_done,
        ModelFailed: _failed,
        ToolDone: _tool_done,
        Condensed: _condensed,
        Published: _published,
        PublishRefused: _refused,
    },
)
