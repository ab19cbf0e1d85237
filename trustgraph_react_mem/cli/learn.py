"""`learn`: show, pretrain and reset what the ranking of a scope has learned."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Annotated, Any

import typer

from ..errors import EngineUnavailable, MemoryServiceError, NotFound
from ..memory.ports import ENDED
from ..memory.requests import GetJob, GetLearningStatus, SubmitJob
from .application import app
from .connection import call, connect, send
from .console import Screen, count_of, escape
from .options import Session, YesOption, command, confirm

JOB_TIMEOUT_S = 120.0
PAUSE_S = 0.1

learn_app = typer.Typer(help="What the ranking has learned: status, pretrain, reset.", no_args_is_help=True)
app.add_typer(learn_app, name="learn")


@command(learn_app, "status")
async def status(session: Session) -> None:
    """Show what the ranking has learned, and its reward, citation rate and recall over time."""
    response = await send(session, GetLearningStatus())
    state: dict[str, Any] = json.loads(response.data or "{}")
    show(session.screen, state)
    session.screen.data(state)


@command(learn_app, "pretrain")
async def pretrain(
    session: Session,
    passes: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of passes over the stored turns.")] = 5,
) -> None:
    """Train offline on the newest rewarded turns (at least 10 with citations). The result is kept only if it ranks better."""
    result = await _run_job(session, {"pretrain": {"passes": passes}})
    if result.get("turns", 0) < 10:
        session.screen.say(f"nothing trained: {count_of(result.get('turns', 0), 'stored turn')} with citations, 10 needed")
    elif not result.get("changed"):
        session.screen.say(
            f"nothing kept: no pass over {count_of(result['turns'], 'turn')} improved the ranking of the held-out turns"
        )
    else:
        session.screen.say(
            f"passes kept: {result['passes']}, over {count_of(result['turns'], 'turn')}; mean reciprocal rank of the first "
            f"cited memory {result['before']:.3f} → {result['after']:.3f}"
        )
    session.screen.data(result)


@command(learn_app, "reset")
async def reset(session: Session, yes: YesOption = False) -> None:
    """Delete what the ranking has learned. Memories are not changed."""
    confirm(session, yes, "Delete what the ranking has learned in this scope for good?")
    result = await _run_job(session, {"reset": True})
    session.screen.say("reset to the order of retrieval" if result.get("reset") else "nothing was learned in this scope")
    session.screen.data(result)


async def _run_job(session: Session, payload: dict[str, Any]) -> dict[str, Any]:
    """The numbers of the job's summary: ``turns=12 changed=1 {"before": ...}``.

    Raises: EngineUnavailable (timeout), MemoryServiceError (the job failed).
    """
    async with connect(session) as bus:
        job_id = (await call(session, bus, SubmitJob(kind="reward", payload=json.dumps(payload)))).job_id
        for _ in range(int(JOB_TIMEOUT_S / PAUSE_S)):
            with suppress(NotFound):  # not stored yet
                [job] = (await call(session, bus, GetJob(id=job_id))).jobs
                if job.status == "done":
                    words, brace, rest = job.summary.partition("{")
                    counts = {name: int(value) for name, _, value in (word.partition("=") for word in words.split())}
                    return {**counts, **(json.loads(brace + rest) if brace else {})}
                if job.status in ENDED:
                    raise MemoryServiceError(f"job {job_id} failed: {job.error or job.status}")
            await asyncio.sleep(PAUSE_S)
    raise EngineUnavailable(f"timeout: `react-mem jobs show {job_id}` shows whether the job has finished")


# -- what has been learned, for people -----------------------------------------------------------------------------

Row = Mapping[str, Any]
WINDOW = 10  # rows of a mean
STRONGEST = 5
LEAST_JUDGED = 5  # answers


# key in a row -> title and meaning
FIGURES: Mapping[str, tuple[str, str]] = {
    "reward": ("reward", "mean over the memories shown: +1 cited, -1 not cited"),
    "citation_rate": ("citation rate", "share of the memories shown that were cited"),
    "recall_prior": ("recall without learning", "share of the cited memories that retrieval alone would show"),
    "mrr_shown": ("reciprocal rank", "1 / rank of the first cited memory"),
    "mrr_prior": ("rank without learning", "the same, in the order of retrieval"),
    "trust": ("trust", "weight given to the learned order"),
    "weight_norm": ("weight norm", "size of the learned weights"),
    "bank_size": ("memories", "number of memories in the scope"),
}
_STATES = ("trust", "weight_norm", "bank_size")  # state at a time, not measured per turn: not averaged


def values_of(rows: Sequence[Row], name: str) -> list[float]:
    """A figure's values.  Answers without readable citations say nothing about reward and citation rate."""
    judged = name in ("reward", "citation_rate")
    return [float(row[name]) for row in rows if name in row and not (judged and (row.get("malformed") or row.get("absent")))]


def judge(policy: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """Whether learning helps, in one sentence."""
    won, lost, trust = (float(policy.get(name) or 0.0) for name in ("won", "lost", "trust"))
    if not rows:
        return "Learning: nothing learned yet; the ranking learns when an answer cites its memories."
    if won + lost < LEAST_JUDGED:
        return f"Learning: too early to say whether it helps: {won + lost:.0f} answers to judge by, {LEAST_JUDGED} are needed."
    helps = "helps" if won > lost else "does not help so far"
    return (
        f"Learning {helps}: the learned order was better in {won:.0f} answers and worse in {lost:.0f}, "
        f"so it counts with weight {trust:.2f}."
    )


def show(screen: Screen, state: Mapping[str, Any]) -> None:
    """``state``: the reply of the facts service to ``learn-status``."""
    policy, rates, rows = state.get("policy") or {}, state.get("rates") or {}, state.get("rows") or []
    screen.say(escape(judge(policy, rows)))
    if policy.get("form"):
        strongest = list((policy.get("features") or {}).items())[:STRONGEST]
        screen.say(
            f"[bold]learned[/bold]  {escape(str(policy['form']))}, version {policy['version']}: "
            f"{count_of(policy['turns'], 'turn')}, {count_of(policy['updates'], 'update')}, "
            f"{policy['waiting']} waiting for a batch"
        )
        screen.say(f"[bold]trust[/bold]    {policy['trust']:.2f}; weight norm {policy['weight_norm']:.3g}")
        screen.say(
            "[bold]features[/bold] " + ("  ".join(f"{escape(name)} {value:+.3f}" for name, value in strongest) or "none")
        )
    if not rows:
        return
    if not rows[-1].get("learning"):
        screen.say("[yellow]nothing learned[/yellow] from the last turn: rerank is off or rmm-learning-rate is 0")
    shares = [f"{name.replace('_', ' ')} {rates[name]:.2f}" for name in ("reward", "citation_rate") if name in rates]
    unread = [f"{name} {rates[name]:.0%}" for name in ("malformed", "absent") if rates.get(name)]
    screen.say(f"[bold]turns[/bold]    {rates.get('turns', len(rows))}: {', '.join([*shares, *unread])}")
    shown = []
    for name, (title, meaning) in FIGURES.items():
        if values := values_of(rows, name):
            ends = (values[0], values[-1]) if name in _STATES else (fmean(values[:WINDOW]), fmean(values[-WINDOW:]))
            shown.append([title, *(f"{value:.3g}" for value in ends), meaning])
    screen.table(f"mean of {WINDOW} turns", ["figure", "first", "last", "meaning"], shown)
