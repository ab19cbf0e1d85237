"""Jobs that cannot be done, messages that are no jobs, and clocks that jump."""

import asyncio
import contextlib
import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from trustgraph_react_mem.bus.envelope import parse_head, seal_payload
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import (
    CancelJob,
    DropJob,
    GetConversation,
    GetJob,
    GetJobStats,
    ListJobs,
    ReplayJob,
    SubmitJob,
)
from trustgraph_react_mem.schema import JobEnvelope

from .at_rest import keys_at_rest
from .attack import Harm, attack, require
from .machine import Machine, eventually

DAY_S = 86_400.0


def envelope(**fields: Any) -> dict[str, Any]:
    """An envelope of a job of a user called Mallory, whose payload nobody can open."""
    return {
        "specversion": "1.0",
        "id": uuid.uuid4().hex,
        "source": "mallory",
        "type": "org.trustgraph.memory.record",
        "subject": "default/mallory/default",
        "time": datetime.now(UTC).isoformat(),
        "data": "AAAA",
        "kind": "record",
        "workspace": "default",
        "user": "mallory",
        "collection": "default",
        "attempt": 1,
        "trigger": "turn",
        "parent": "",
        **fields,
    }


async def _withstands(machine: Machine, *messages: bytes) -> None:
    """The messages change nothing for others, before and after a restart."""
    for message in messages:
        await machine.foreign.publish_job(message)
    await machine.still_records()
    ended = [line for line in machine.log.splitlines() if "Task exception was never retrieved" in line]
    require(not ended, "a task ended of it, and nobody awaits it")


MALFORMED: dict[str, list[Any]] = {
    "a kind that is a list or an object": [envelope(kind=[]), envelope(kind={}), envelope(kind=7), envelope(kind=None)],
    "a time that is a number, null or odd": [
        envelope(time=5),
        envelope(time=None),
        envelope(time={}),
        envelope(time="9999-99-99"),
    ],
    "an id that is a list, null or empty": [envelope(id=["a"]), envelope(id=None), envelope(id=""), envelope(id={"a": 1})],
    "names that are no text": [
        envelope(user=None),
        envelope(user=[1]),
        envelope(collection=5),
        envelope(workspace={}),
        envelope(user="\ud800"),
    ],
    "an attempt that is no number": [
        envelope(attempt="x"),
        envelope(attempt=-1),
        envelope(attempt=1e400),
        envelope(attempt=[]),
    ],
    "data that is no text": [envelope(data=[1]), envelope(data=None), envelope(data={"a": 1}), envelope(data="ä" * 50)],
    "a trigger or parent that is no text": [
        envelope(trigger={}),
        envelope(parent=[]),
        envelope(trigger=3),
        envelope(source=[[]]),
    ],
}
RAW: dict[str, list[bytes]] = {
    "no JSON": [b"not json", b"", b"\xff\xfe\x00", b"\xef\xbb\xbf{}", b"NaN", b'{"id": 1e999}', b"{'id': 'a'}"],
    "JSON, but no object": [b"[]", b"null", b"7", b'"text"', b"[[[]]]", b"{}"],
    "deep nesting": [
        b"[" * 200_000,
        b'{"a":' * 100_000,
        json.dumps(envelope()).encode().replace(b'"AAAA"', b"[" * 50_000 + b"]" * 50_000),
    ],
    "UTF-16": [json.dumps(envelope()).encode("utf-16"), json.dumps(envelope()).encode("utf-32")],
    "a number of a million digits": [
        json.dumps(envelope()).encode().replace(b'"attempt": 1', b'"attempt": ' + b"9" * 1_000_000)
    ],
}


@attack(on="job topic", holds="envelopes with wrong types cost only themselves", limit_s=120)
async def envelopes_with_wrong_types(machine: Machine) -> None:
    for name, messages in MALFORMED.items():
        try:
            await _withstands(machine, *(json.dumps(each).encode() for each in messages))
        except Harm as harm:
            raise Harm(f"{name}: {harm}") from None


@attack(on="job topic", holds="messages that are no envelopes cost only themselves", limit_s=120)
async def messages_that_are_no_envelopes(machine: Machine) -> None:
    for name, messages in RAW.items():
        try:
            await _withstands(machine, *messages)
        except Harm as harm:
            raise Harm(f"{name}: {harm}") from None


@attack(
    on="job topic, over a restart",
    holds="what is no job does not block the start, and can be seen and dropped",
    own=True,
    limit_s=150,
)
async def malformed_messages_over_a_restart(machine: Machine) -> None:
    await machine.up()
    for message in (b"not json", json.dumps(envelope(time=5)).encode(), json.dumps(envelope(kind=[])).encode(), b"[" * 200_000):
        await machine.foreign.publish_job(message)
    await asyncio.sleep(2)
    await machine.kill()
    await machine.up()
    await machine.still_records()

    async def seen() -> bool:
        return len(await machine.jobs(everyone=True, status="dead")) >= 4

    require(
        await eventually(seen, 20, 2),
        f"of 4 dead letters, jobs list --all shows {len(await machine.jobs(everyone=True, status='dead'))}",
    )
    for job in await machine.jobs(everyone=True, status="dead"):
        owner = ["--collection", job.collection] if job.collection != "default" else []
        await machine.command(job.user).run("jobs", "drop", job.id, *owner)
    require(not await machine.jobs(everyone=True, status="dead"), "dropped dead letters are still listed")


@attack(
    on="job topic", holds="a kind of a newer version stays for a newer worker, and nothing waits for it", own=True, limit_s=120
)
async def a_kind_of_a_newer_version(machine: Machine) -> None:
    await machine.up()
    await machine.tell("ana", "I keep the umbrella in the hall")
    recorded = next(each for each in await machine.foreign.jobs() if each.heads(kind="record"))
    await machine.stop()
    tomorrow = recorded.changed(id="from-tomorrow", kind="transcribe", type="org.trustgraph.memory.transcribe")
    async with keys_at_rest(machine) as keyring:
        newer = replace(parse_head(JobEnvelope(**json.loads(tomorrow))), payload={"words": "umbrella"})
        sealed = await seal_payload(keyring, newer)
    await machine.up()
    message = json.dumps({**json.loads(tomorrow), "data": sealed}).encode()
    await machine.foreign.publish_job(message, recorded.key, "from-tomorrow")
    await machine.tell("ana", "I keep the spare umbrella in the attic")
    await machine.still_records()
    kept = [job for job in await machine.jobs(everyone=True) if job.id == "from-tomorrow" and job.status == "deferred"]
    require(kept, "the job of a newer kind does not wait under its own id for a newer worker: its payload is lost")


@attack(
    on="embeddings endpoint",
    holds="one refused text costs its vector only: it and all later turns of the person are kept",
    limit_s=150,
)
async def a_text_that_the_embedder_refuses(machine: Machine) -> None:
    machine.direct(embedder_refuses=["zyxforbidden"])
    user = machine.person()
    await machine.tell(user, "I keep the umbrella in the hall")
    trace = await machine.ask("I keep the zyxforbidden umbrella in the attic", user)
    require(trace.answer, f"no answer: {trace.error}")
    await machine.tell(user, "I keep the third umbrella in the car")
    await machine.tell(user, "I keep the fourth umbrella at work", conversation_id="another")
    require(not await machine.unfinished(user, 60), "jobs of this person never end")
    require(await machine.finds(user, "zyxforbidden", 10), "the refused text itself is not kept")
    deferred = (await machine.call(ListJobs(user=user, status="deferred"))).jobs
    require(not deferred, f"deferred without end: {[(job.kind, job.attempt) for job in deferred]}")
    machine.direct(embedder_refuses=[])


@attack(
    on="embeddings endpoint", holds="a text longer than the endpoint takes is kept, found, and holds nothing up", limit_s=150
)
async def a_text_too_long_for_the_embedder(machine: Machine) -> None:
    machine.direct(embedder_most_chars=8000)
    user = machine.person()
    await machine.ask("I keep the verylongtale here: " + "the umbrella stands in the hall. " * 900, user)
    await machine.tell(user, "I keep the short umbrella in the car")
    require(await machine.finds(user, "verylongtale"), "the long text is not kept")
    require(not await machine.unfinished(user, 60), "jobs of this person never end")
    machine.direct(embedder_most_chars=0)


@attack(on="embeddings endpoint, erasure", holds="an erasure never waits behind refused or deferred work", limit_s=150)
async def an_erasure_behind_refused_work(machine: Machine) -> None:
    machine.direct(embedder_refuses=["zyxforbidden"], background_away=True)
    user = machine.person()
    await machine.tell(user, "I keep the umbrella in the hall")
    fact = (await machine.facts(user))[0]
    await machine.ask("I keep the zyxforbidden umbrella in the attic", user, end_of_conversation=True)
    await asyncio.sleep(4)
    try:
        for payload in ({"level": "record", "ids": [fact.id]}, {"level": "conversation", "conversation_id": f"talk-{user}"}):
            receipt = await machine.forget(user, timeout_s=40, **payload)
            require(receipt.get("complete"), f"erasure of a {payload['level']}: {receipt or 'no receipt after 40 s'}")
    finally:
        machine.direct(embedder_refuses=[], background_away=False)


@attack(
    on="write places of the worker", holds="20 people whose texts are refused keep nobody else from being recorded", limit_s=120
)
async def refused_texts_of_many_people(machine: Machine) -> None:
    machine.direct(embedder_refuses=["zyxforbidden"])
    asked = (machine.ask("the zyxforbidden umbrella", machine.person("refused")) for _ in range(20))
    await asyncio.gather(*asked)
    await machine.still_records()
    machine.direct(embedder_refuses=[])


@attack(
    on="language model",
    holds="a prompt that the endpoint refuses is one dead letter that can be replayed and dropped",
    limit_s=150,
)
async def a_prompt_that_the_model_refuses(machine: Machine) -> None:
    user = machine.person()
    await machine.tell(user, "I keep the zyxfiltered umbrella in the hall", conversation_id="first")
    machine.direct(background_refuses=["zyxfiltered"])
    await machine.call(SubmitJob(user=user, kind="understand", payload='{"conversation_id": "first"}'))
    await machine.tell(user, "I keep the other umbrella in the car", conversation_id="second")
    learned = await machine.call(SubmitJob(user=user, kind="understand", payload='{"conversation_id": "second"}'))

    async def dead() -> bool:
        return any(job.kind == "understand" for job in await machine.dead(user))

    require(await eventually(dead, 40, 1), "the refused job is not among the dead letters after 40 s")

    async def done() -> bool:
        return (await machine.call(GetJob(user=user, id=learned.job_id))).jobs[0].status in ("done", "dead")

    require(await eventually(done, 40, 1), "the next job of this person waits behind the refused one")
    letter = next(job for job in await machine.dead(user) if job.kind == "understand")
    machine.direct(background_refuses=[])
    await machine.call(ReplayJob(user=user, id=letter.id))

    async def replayed() -> bool:
        return (await machine.call(GetJob(user=user, id=letter.id))).jobs[0].status == "done"

    require(await eventually(replayed, 40, 1), "replayed, it is not done")


@attack(
    on="process of the worker",
    holds="a job that ends its process three times is a dead letter, and no other job is lost",
    own=True,
    limit_s=240,
)
async def a_job_that_ends_its_process(machine: Machine) -> None:
    await machine.up()
    await machine.tell("eve", "I keep the zyxdeadly umbrella in the hall")
    await machine.tell("bob", "I keep the bicycle in the yard")
    machine.direct(background_kills=["zyxdeadly"])
    jobs = [
        SubmitJob(user=user, kind="understand", id=f"read-{user}", payload=json.dumps({"conversation_id": f"talk-{user}"}))
        for user in ("bob", "eve")
    ]
    await asyncio.gather(*(machine.call(job, 10) for job in jobs), return_exceptions=True)
    deaths = 0

    async def ended() -> bool:
        return machine.end_of_stack() is not None

    async def over() -> bool:
        try:
            return bool(await ended() or await machine.dead("eve"))
        except (Harm, MemoryServiceError):  # it ends while it is asked
            return False

    while await eventually(over, 60) and await ended():
        deaths += 1
        require(deaths <= 3, "the job ended its process a fourth time")
        with contextlib.suppress(RuntimeError):  # it ended while it was starting
            await machine.up()
    require(deaths == 3, f"the process ended {deaths} times: {machine.log[-300:]}")
    require([job.id for job in await machine.dead("eve")] == ["read-eve"], "the job is no dead letter")
    require(not await machine.unfinished("bob", kind=""), "the job of another person never ends")
    found = (await machine.call(GetJob(user="bob", id="read-bob"))).jobs[0]
    require(found.status == "done", f"the job of another person is {found.status}")
    await machine.tell("eve", "I keep the second umbrella in the car")
    machine.direct(background_kills=[])
    await machine.call(ReplayJob(user="eve", id="read-eve"))

    async def replayed() -> bool:
        return (await machine.call(GetJob(user="eve", id="read-eve"))).jobs[0].status == "done"

    require(await eventually(replayed, 40, 1), "replayed, it is not done")


@attack(
    on="management of jobs",
    holds="waiting and deferred jobs can be cancelled and dropped, and nothing runs of them",
    limit_s=120,
)
async def cancelling_work_that_waits(machine: Machine) -> None:
    machine.direct(background_away=True)
    user = machine.person()
    await machine.tell(user, "I keep the umbrella in the hall")
    jobs = [
        await machine.call(SubmitJob(user=user, kind="understand", payload=json.dumps({"conversation_id": f"talk-{user}"})))
        for _ in range(2)
    ]
    await asyncio.sleep(3)
    try:
        for job, request in zip(jobs, (CancelJob, DropJob), strict=True):
            status = (await machine.call(GetJob(user=user, id=job.job_id))).jobs[0].status
            act = request if status == "deferred" or request is CancelJob else CancelJob
            await machine.call(act(user=user, id=job.job_id))
    finally:
        machine.direct(background_away=False)
    require(not await machine.unfinished(user, 20, kind=""), "a cancelled job is still open")
    await machine.tell(user, "I keep the second umbrella in the car")


@attack(on="job store", holds="a job id that another person used first still runs for its owner", limit_s=60)
async def a_job_id_used_by_two_people(machine: Machine) -> None:
    name = f"shared-{uuid.uuid4().hex}"
    eve, ann = machine.person("eve"), machine.person("ann")
    await machine.tell(ann, "I keep the umbrella in the hall")
    await machine.call(SubmitJob(user=eve, kind="retain", id=name))
    require(not await machine.unfinished(eve, 20, kind=""), "eve's job never ends")
    await machine.call(SubmitJob(user=ann, kind="retain", id=name))
    require(not await machine.unfinished(ann, 20, kind=""), "ann's job never ends")
    for user in (eve, ann):
        found = (await machine.call(GetJob(user=user, id=name))).jobs[0]
        require((found.status, found.user) == ("done", user), f"the job of {user} is {found.status} of {found.user}")


@attack(on="conversation", holds="what is stored beside a conversation does not grow with each turn", limit_s=120)
async def a_long_conversation(machine: Machine) -> None:
    user = machine.person()
    for number in range(40):
        await machine.ask(f"umbrella {number} is in the hall", user)
    require(not await machine.unfinished(user, 30), "jobs never end")
    found = (await machine.call(GetConversation(user=user, conversation_id=f"talk-{user}", limit=100))).conversation
    if found is None or len(found.invocations) != 40:
        raise Harm("the conversation does not hold its 40 turns")
    empty = [key for key, value in found.metadata.items() if not value]
    require(len(found.metadata) < 30 and not empty, f"{len(found.metadata)} keys beside it, {len(empty)} of them empty")


@attack(on="clock", holds="set back or forward by a day, it loses and delays nothing", own=True, limit_s=200)
async def a_clock_that_jumps_a_day(machine: Machine) -> None:
    await machine.up()
    for number, off_s in enumerate((DAY_S, -DAY_S, 0.0)):
        await machine.tell("ana", f"umbrella {number} is in the hall")
        machine.direct(background_away=True)
        job = await machine.call(SubmitJob(user="ana", kind="understand", payload='{"conversation_id": "talk-ana"}'))

        async def deferred(job_id: str = job.job_id) -> bool:
            return (await machine.call(GetJob(user="ana", id=job_id))).jobs[0].status == "deferred"

        require(await eventually(deferred, 30), "a job without its model is not put off")
        machine.direct(background_away=False, clock_off_s=off_s)

        async def over(job_id: str = job.job_id) -> bool:
            return (await machine.call(GetJob(user="ana", id=job_id))).jobs[0].status in ("done", "dead")

        require(
            await eventually(over, 60, 1), f"with the clock at {off_s / 3600:+g} h the put-off job does not run within 60 s"
        )
        await machine.tell("ana", f"umbrella {number} is back, at {off_s / 3600:+g} hours")


@attack(
    on="clock, erasure",
    holds="what is deferred by a clock that is behind an erasure is not lost, and not brought back",
    own=True,
    limit_s=150,
)
async def an_erasure_with_the_clock_ahead(machine: Machine) -> None:
    await machine.up()
    machine.direct(clock_off_s=DAY_S)
    await machine.tell("ana", "the first umbrella is in the hall")
    receipt = await machine.forget("ana", level="collection")
    require(receipt.get("complete"), f"erased with the clock ahead: {receipt}")
    machine.direct(clock_off_s=0.0, background_away=True)
    await machine.tell("ana", "the second umbrella is in the car")
    job = await machine.call(SubmitJob(user="ana", kind="understand", payload='{"conversation_id": "talk-ana"}'))
    await asyncio.sleep(3)
    require((await machine.call(GetJob(user="ana", id=job.job_id))).jobs, "the job that was put off is gone")
    machine.direct(background_away=False)
    require(not any("first" in fact.content for fact in await machine.facts("ana")), "what was erased is there again")
    require(await machine.finds("ana", "second"), "what was said after the erasure is lost")


@attack(on="job store", holds="done work is pruned on time, also for a stack that ran a moment only", own=True, limit_s=120)
async def old_work_of_short_runs(machine: Machine) -> None:
    await machine.up()
    for number in range(6):
        await machine.tell("ana", f"umbrella {number} is in the hall")
    before = len(await machine.jobs("ana"))
    require(before >= 6, f"only {before} jobs are listed")
    machine.direct(clock_off_s=30 * DAY_S)
    await machine.kill()
    await machine.up()

    async def pruned() -> bool:
        return len(await machine.jobs("ana")) < 2

    require(await eventually(pruned, 45, 3), f"a month later {len(await machine.jobs('ana'))} of {before} done jobs are kept")


@attack(on="worker", holds="a backlog of 400 turns ends once the embedder is back", own=True, limit_s=200)
async def a_backlog_while_the_embedder_is_away(machine: Machine) -> None:
    await machine.up()
    machine.direct(embedder_away=True)
    turns = [machine.ask(f"umbrella {n} " + "long story " * 300, f"user{n % 40}") for n in range(400)]
    gate = asyncio.Semaphore(8)

    async def one(turn: Any) -> None:
        async with gate:
            await turn

    await asyncio.gather(*(one(turn) for turn in turns))
    stats = (await machine.call(GetJobStats(user="user0"))).stats
    waiting = sum(int(stats[name]) for name in ("queued", "running", "deferred_now"))
    require(waiting > 0, f"no job waits for the embedder: {stats}")
    machine.direct(embedder_away=False)
    for number in range(40):
        require(not await machine.unfinished(f"user{number}", 60), "the backlog never ends")
