"""A finished request as the agent reported it, and when a conversation is learned from: after an invocation, every N turns, at
a topic drift, at the end, after inactivity.

The data policy screens the text of the request before anything is stored.  When to learn depends only on a turn's position in
its conversation, never on earlier decisions, so a repeated record job publishes the same jobs with the same ids.  Source:
semantic router memory, section 6.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal

from ..erasure.redaction import FORGOTTEN
from ..jobs.delivery import read_text, read_time
from ..memory.policies import DataPolicy
from ..memory.ports import Job, JobKind, JsonValue
from ..memory.records import RECALL_EPISODES, RETRIEVE_FACTS, STORE_FACT, Fact, Invocation, derived_id, turn_id
from ..memory.scope import Scope
from ..memory.trust.owner_seal import VERIFIED, OwnerSeal
from ..settings import AgentMemSettings

NOT_KEPT = "[not kept]"
ERROR = "Error: "  # begins the observation of a call that failed
MAX_STEP_CHARS = 600
MAX_SUMMARY_CHARS = 600
RESULT_CHARS = 80  # of each tool's result in the summary
SCREENED = ("thought", "action", "arguments", "observation")  # texts of a step that are not the operator's
DEFAULT_SPEAKER = "User"
ASSISTANT = "Assistant"
Trigger = Literal["invocation", "turns", "drift", "end", "inactivity", "management"]


LEAST_OF_DRIFT = 5  # invocations since the last full batch
DRIFT = 0.25  # calibrated similarity of consecutive questions below which the topic has changed


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """One step of the loop; ``action`` is empty for a thought without a tool.

    ``failed``: the call of the tool failed.  Its observation is then the error.  ``about``: the description of the tool, which
    the operator wrote.
    """

    thought: str
    action: str
    arguments: str
    observation: str
    failed: bool = False
    about: str = ""

    def line(self) -> str:
        """The step as one line of text, as stored with the invocation: ``lookup {"a": 1} -> observation``."""
        call = f"{self.action} {self.arguments}".strip() if self.action else self.thought
        return _clip(f"{call} -> {self.observation}" if self.observation else call)

    def payload(self) -> dict[str, JsonValue]:
        clipped = {name: _clip(getattr(self, name)) for name in ("thought", "arguments", "observation")}
        return {**asdict(self), **clipped}


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTurn:
    """A question and its answer.

    ``hidden``: number of findings of the data policy, by kind.  ``forgotten``: parts that were erased before they were stored.
    """

    conversation_id: str
    invocation_id: str
    question: str
    answer: str
    speaker: str
    asked_at: datetime
    answered_at: datetime
    steps: tuple[ToolStep, ...]
    succeeded: bool
    recalled_ids: tuple[str, ...]
    hidden: Mapping[str, int]
    forgotten: frozenset[str] = frozenset()
    mark: str = ""  # of the question, if the speaker is verified

    @property
    def task_like(self) -> bool:
        """Whether the agent worked on a task: it used a tool, took several steps, or failed.

        To look something up in memory, or to store it, is no task.  Source: agentic memory specification, Invocation End.
        """
        steps = [step for step in self.steps if step.action not in (RETRIEVE_FACTS, RECALL_EPISODES, STORE_FACT)]
        return any(step.action for step in steps) or len(steps) > 1 or not self.succeeded

    def summary(self) -> str:
        """What the agent did: the tools it used, in order, with the beginning of each result.  Computed without a model.

        Source: agentic memory specification, Conversation Record.
        """
        done = [
            f"{step.action}: {_clip(' '.join(step.observation.split()), RESULT_CHARS)}" for step in self.steps if step.action
        ]
        return _clip("; ".join(each.removesuffix(": ") for each in done), MAX_SUMMARY_CHARS)

    def invocation(self) -> Invocation:
        return Invocation(
            id=self.invocation_id,
            conversation_id=self.conversation_id,
            query=self.question or self._placeholder("question"),
            summary=self.summary(),
            result=self.answer or self._placeholder("answer"),
            at=self.answered_at,
            speaker=self.speaker,
            succeeded=self.succeeded,
            steps=tuple(step.line() for step in self.steps),
            recalled_ids=self.recalled_ids,
        )

    def _placeholder(self, part: str) -> str:
        return FORGOTTEN if part in self.forgotten else NOT_KEPT

    def turns(self, job: Job, position: int) -> list[Fact]:
        """Question and answer as verbatim records.  ``position``: index of the invocation in its conversation, from 0.

        After a failure only the question is kept, because the answer is only an error message.
        """
        question = Fact(
            id=turn_id(job.scope, self.conversation_id, self.invocation_id, "question"),
            scope=job.scope,
            kind="turn",
            content=self.question,
            created_at=job.created_at,
            trust="user",
            speaker=self.speaker,
            source=self.conversation_id,
            invocation_id=self.invocation_id,
            position=2 * position,
            said_at=self.asked_at,
            job_id=job.id,
            trigger=job.trigger,
            metadata={"role": "user", **({VERIFIED: self.mark} if self.mark else {})},
        )
        answer = replace(
            question,
            id=turn_id(job.scope, self.conversation_id, self.invocation_id, "answer"),
            content=self.answer,
            trust="assistant",
            speaker=ASSISTANT,
            position=2 * position + 1,
            said_at=self.answered_at,
            importance=0.4,
            metadata={"role": "assistant"},
        )
        return [turn for turn in (question, answer) if turn.content and (turn is question or self.succeeded)]


async def parse_finished_turn(job: Job, policy: DataPolicy, seal: OwnerSeal) -> FinishedTurn:
    """The turn in the payload of a ``record`` job, screened by the data policy.  ``seal``: checks the name of the speaker.

    Raises:
        BadRequest: an id is missing or holds a secret, or a field has another type.
    """
    hidden: Counter[str] = Counter()

    async def screen(text: str) -> str:
        result = await policy.screen_async(text)
        hidden.update(result.found)
        return result.text

    recalled, forgotten = job.payload.get("recalled"), job.payload.get("forgotten")
    conversation_id = read_text(job, "conversation_id", needed=True)
    invocation_id = read_text(job, "invocation_id", needed=True)
    policy.check_id("the conversation id", conversation_id)
    policy.check_id("the invocation id", invocation_id)
    steps = []
    for step in read_steps(job):
        texts: dict[str, Any] = {name: await screen(getattr(step, name)) for name in SCREENED}
        steps.append(replace(step, **texts))
    said, name = read_text(job, "question"), read_text(job, "speaker")
    question, speaker = await screen(said.strip()), policy.screen_name(name) or DEFAULT_SPEAKER
    verified = seal.accepts(read_text(job, "speaker_proof"), "speaker", job.scope, name, said, at=job.created_at)
    return FinishedTurn(
        conversation_id=conversation_id,
        invocation_id=invocation_id,
        question=question,
        answer=await screen(read_text(job, "answer").strip()),
        speaker=speaker,
        asked_at=read_time(job, "asked_at"),
        answered_at=read_time(job, "answered_at"),
        steps=tuple(steps),
        succeeded=job.payload.get("succeeded") is not False,
        recalled_ids=tuple(str(item) for item in recalled) if isinstance(recalled, list) else (),
        hidden=hidden,
        forgotten=frozenset(str(part) for part in forgotten) if isinstance(forgotten, list) else frozenset(),
        mark=seal.mark(job.scope, speaker, question) if verified else "",
    )


def read_step(line: str) -> ToolStep:
    """A step as it is stored with its invocation (``ToolStep.line``)."""
    done, _, observation = line.partition(" -> ")
    action, _, arguments = done.partition(" ")
    if not arguments.startswith("{"):
        action, arguments = done, ""
    return ToolStep(
        thought="", action=action, arguments=arguments, observation=observation, failed=observation.startswith(ERROR)
    )


def read_steps(job: Job) -> tuple[ToolStep, ...]:
    """The steps in the payload of a job.  One failed if it says so, or if its observation has the form that errors have."""
    raw, steps = job.payload.get("steps"), list[ToolStep]()
    for step in raw if isinstance(raw, list) else []:
        if isinstance(step, Mapping):
            texts = {name: _text(step, name) for name in (*SCREENED, "about")}
            failed = step.get("failed") is True or texts["observation"].startswith(ERROR)
            steps.append(ToolStep(**texts, failed=failed))
    return tuple(steps)


def _text(step: Mapping[str, JsonValue], key: str) -> str:
    value = step.get(key)
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _clip(text: str, most: int = MAX_STEP_CHARS) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


# -- when to learn -----------------------------------------------------------------------------------------------


def next_batch(position: int, *, settings: AgentMemSettings, drifted: bool, ended: bool) -> tuple[int, Trigger] | None:
    """What to learn from after the invocation at ``position`` (from 0): the last position to read, and the reason.

    All invocations up to it that were not read yet are read.  None: nothing yet.

    A drift leaves out the newest invocation, which is about the new topic.  Few invocations wait for more or for the end: each
    call of the model reads the instructions and the entries again.  The end of a conversation has its own jobs (``end_jobs``).

    >>> next_batch(9, settings=AgentMemSettings(), drifted=False, ended=False)
    (9, 'turns')
    """
    if ended or not settings.enable_auto_fact_extraction or not settings.extract_every_turns:
        return None
    if (position + 1) % settings.extract_every_turns == 0:
        return position, "turns"
    waiting = position % settings.extract_every_turns
    return (position - 1, "drift") if drifted and waiting >= LEAST_OF_DRIFT else None


def end_jobs(
    scope: Scope,
    last: Invocation,
    began_at: datetime | None,
    settings: AgentMemSettings,
    *,
    inherited: Mapping[str, JsonValue],
    trigger: Trigger,
    at: datetime,
    parent: str = "",
) -> list[Job]:
    """The jobs that follow the end of a conversation whose last invocation is ``last``.

    Publish the jobs before marking the conversation as ended: ids are derived, so ending it twice creates the same jobs.
    ``inherited``: payload keys that every job gets (flow, settings).  ``began_at``: time of the first request.  It is part of
    the ids, so a new conversation that reuses the ids of a forgotten one gets its own jobs.
    """
    began = began_at.isoformat() if began_at is not None else ""
    wanted: list[tuple[JobKind, dict[str, JsonValue]]] = []
    if settings.enable_auto_fact_extraction or settings.enable_prospective_reflection:
        wanted.append(("understand", {"conversation_id": last.conversation_id, "to": last.position, "ended": True}))
    # These run after the jobs above, in the same queue, and check then whether they are due or anything changed.
    if settings.enable_prospective_reflection:
        wanted += [("consolidate", {"when_due": True}), ("insight", {"when_due": True})]
    if settings.fact_quota or settings.fact_ttl_days or settings.episode_ttl_days:
        wanted.append(("retain", {}))
    return [
        Job(
            id=derived_id("job", scope.key, last.conversation_id, "end", began, last.position, last.id, kind),
            kind=kind,
            scope=scope,
            payload={**inherited, **payload},
            created_at=at,
            trigger=trigger,
            parent=parent,
        )
        for kind, payload in wanted
    ]
