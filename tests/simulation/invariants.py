"""What must hold after any life, looked up in the stores themselves.

Nothing acknowledged is lost; each effect is there once; a queue keeps its order; graph and vectors agree after repair; scopes
never mix; nothing is readable after a forgetting whose receipt was given; no job disappears between topic and job store.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.simulation.faults import NEWER_KIND
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.learning.invocation import next_batch
from trustgraph_react_mem.memory.digest import normalise_text
from trustgraph_react_mem.memory.former import status_at
from trustgraph_react_mem.memory.records import KEPT_BY, KEPT_FROM, derived_id, turn_id
from trustgraph_react_mem.memory.scope import Scope

if TYPE_CHECKING:
    from tests.simulation.people import Turn
    from tests.simulation.simulation import World

OVER = ("done", "cancelled", "dead")


def violations(world: "World") -> list[str]:
    found = []
    for _, scope in world.people:
        for check in (_conversations, _turns, _episodes, _learned, _replaced, _indexed, _own_words, _followed):
            found += [f"{scope.key}: {text}" for text in check(world, scope)]
    found += list(_jobs(world))
    world.check_forgotten(at="the end")
    return [*found, *world.broken]


def _alive(world: "World", scope: Scope) -> list["Turn"]:
    return [turn for turn in world.turns if turn.scope == scope and turn.gone != "all"]


def _conversations(world: "World", scope: Scope) -> Iterator[str]:
    """Each confirmed turn once, in the order it was confirmed; one that was refused may be there, in its place.

    A dead letter that is replayed is recorded at the time of its replay.
    """
    held = {name: held for (owner, name), held in world.stores.conversations.conversations.items() if owner == scope}
    alive = _alive(world, scope)
    for name in {turn.conversation for turn in alive} | set(held):
        asked = [turn for turn in alive if turn.conversation == name]
        found = [item.id for item in held[name].invocations] if name in held else []
        for turn in asked:
            if turn.confirmed and turn.invocation not in found:
                yield f"lost: {turn.token} was confirmed and is in no conversation"
        if len(set(found)) != len(found):
            yield f"doubled: {name} holds an invocation twice"
        order = [turn.invocation for turn in asked if turn.invocation in found and turn.job_id not in world.replayed]
        if order != [item for item in found if item in order]:
            yield f"order: {name} holds {found}, asked were {order}"
        if strange := {*found} - {turn.invocation for turn in asked}:
            yield f"{name} holds what was not asked or is forgotten: {strange}"


def _turns(world: "World", scope: Scope) -> Iterator[str]:
    """Question and answer of each kept invocation are verbatim records, once, at their places."""
    facts = world.stores.facts.held[scope].values()
    turns = {fact.id: fact for fact in facts if fact.kind == "turn" and fact.source[:1] != "s"}
    expected: set[str] = set()
    held = {name: held for (owner, name), held in world.stores.conversations.conversations.items() if owner == scope}
    by_invocation = {turn.invocation: turn for turn in _alive(world, scope)}
    for name, conversation in held.items():
        for item in conversation.invocations:
            turn = by_invocation.get(item.id)
            if turn is None:
                continue
            for place, part in enumerate(("question", "answer")):
                record_id = turn_id(scope, name, item.id, part)
                if part == turn.gone:
                    continue
                expected.add(record_id)
                if record_id not in turns:
                    yield f"lost: the {part} of {turn.token} is no record"
                elif turns[record_id].position != 2 * item.position + place:
                    yield f"order: the {part} of {turn.token} stands at {turns[record_id].position}"
    for record_id in set(turns) - expected:
        yield f"doubled or forgotten: a turn {turns[record_id].content!r} that nobody keeps"


def _episodes(world: "World", scope: Scope) -> Iterator[str]:
    own = world.stores.episodes.held[scope].values()
    per_turn = Counter(episode.metadata.get("invocation_id", "") for episode in own)
    for turn in _alive(world, scope):
        # a job that came while the question was taken back found nothing to tell of
        once_undone = _was_taken_back(world, scope, turn_id(scope, turn.conversation, turn.invocation, "question"))
        wanted = (0, 1) if turn.gone or not turn.confirmed or once_undone else (1,)
        if turn.steps and per_turn[turn.invocation] not in wanted:
            yield f"{turn.token} has {per_turn[turn.invocation]} episodes instead of one"


def _was_taken_back(world: "World", scope: Scope, record_id: str) -> bool:
    return any(entry.change == "undone" for entry in world.stores.facts.histories[scope].get(record_id, ()))


def _learned(world: "World", scope: Scope) -> Iterator[str]:
    """What was learned is there once, and rests only on turns that are there."""
    facts = world.stores.facts.held[scope]
    now = world.clock.now()
    active = [fact for fact in facts.values() if fact.kind != "turn" and status_at(fact, now) == "active"]
    for (kind, content), number in Counter((fact.kind, normalise_text(fact.content)) for fact in active).items():
        if number > 1:
            yield f"doubled: {number} active {kind} facts say {content!r}"
    for fact in facts.values():
        if lost := [source for source in fact.turn_ids if source not in facts]:
            yield f"{fact.content!r} ({fact.kind}) rests on {len(lost)} turns that are forgotten"
        taken = [source for source in fact.turn_ids if source in facts and facts[source].status == "undone"]
        if taken and fact.status == "active":
            yield f"{fact.content!r} ({fact.kind}) holds and rests on {len(taken)} turns that were taken back"
        if "yachts" in fact.content:
            yield "an invented fact was kept"


def _replaced(world: "World", scope: Scope) -> Iterator[str]:
    """What was replaced stays so while its replacement is there, and no longer; what still holds of it goes with both.

    It stays, too, while something else that is active says all of it.
    """
    facts = world.stores.facts.held[scope]
    said = {(fact.kind, normalise_text(fact.content)) for fact in facts.values() if fact.status == "active"}
    active = {fact.id for fact in facts.values() if fact.status == "active"}
    for fact in facts.values():
        said_anyway = (fact.kind, normalise_text(fact.content)) in said or fact.metadata.get(KEPT_FROM) in active
        by = facts.get(fact.superseded_by)
        if fact.status == "active" and fact.superseded_by:
            if fact.valid_to is None:
                yield f"{fact.content!r} holds without end beside what replaced it"
            elif by is None or by.status != "active":
                yield f"{fact.content!r} is to end for what is {by.status if by else 'gone'}: {by.content if by else ''!r}"
            elif by.valid_from is not None and by.valid_from > fact.valid_to:
                yield f"{fact.content!r} ends on {fact.valid_to}, and {by.content!r} begins on {by.valid_from}"
        if fact.status == "superseded" and by is not None and by.status == "undone" and not said_anyway:
            yield f"{fact.content!r} stays replaced by {by.content!r}, which was taken back"
        if fact.status == "active" and KEPT_BY in fact.metadata:
            whole, new = facts.get(fact.metadata[KEPT_FROM]), facts.get(fact.metadata[KEPT_BY])
            if new is None or new.status == "undone":
                yield f"{fact.content!r} was kept by what is {new.status if new else 'gone'}"
            if whole is not None and whole.status == "active" and whole.superseded_by == "":
                yield f"{fact.content!r} holds beside the whole of it: {whole.content!r}"


def _indexed(world: "World", scope: Scope) -> Iterator[str]:
    """Graph and vectors agree, and nothing waits to be repaired."""
    facts, points = world.stores.facts.held[scope], world.fact_index.points.get(scope, {})
    held = {fact.id for fact in facts.values() if fact.status != "undone"}
    if held != set(points):
        yield f"graph and vectors differ: {len(held - set(points))} missing, {len(set(points) - held)} too many"
    for fact in facts.values():
        if fact.id in world.stores.facts.tombstoned[scope] or not fact.indexed:
            yield f"not repaired: {fact.content!r}"
        payload = points[fact.id].payload if fact.id in points else {}
        if payload and (payload["content"], payload["status"]) != (fact.content, fact.status):
            yield f"graph and vectors differ over {fact.content!r} ({fact.status}): {payload['status']} in the index"
    episodes = {episode.id for episode in world.stores.episodes.held[scope].values() if episode.undone_at is None}
    if episodes != set(world.episode_index.points.get(scope, {})):
        yield "episodes and their vectors differ"


def _own_words(world: "World", scope: Scope) -> Iterator[str]:
    """No place of a scope holds a word that only another's hold."""
    strange = [token for owner, token in world.tokens.items() if owner != scope]
    for place, text in readable(world, scope):
        for token in strange:
            if f"{token}q" in text:
                yield f"mixed: {place} holds words of {token}"


def _followed(world: "World", scope: Scope) -> Iterator[str]:
    """From each kept turn followed the jobs that must, and the reward was counted."""
    stored = {job.id for job in world.topic.stored}
    children = {(job.parent, job.kind) for job in world.topic.stored}
    rewards = world.stores.weights.rows.get(scope, {})
    held = {
        item.id: item.position
        for (owner, _), held in world.stores.conversations.conversations.items()
        if owner == scope
        for item in held.invocations
    }
    for turn in _alive(world, scope):
        if turn.invocation not in held:
            continue
        # A question may have been forgotten before it was recorded: it teaches nothing about itself, but others go on.
        wanted = [("reward", "")] if (turn.rewarded and not turn.gone) or turn.ended else []
        wanted += [("episode", "")] if turn.steps and not turn.gone else []
        if next_batch(held[turn.invocation], settings=world.settings, drifted=False, ended=turn.ended):
            wanted.append(("understand", ""))
        if turn.ended and (turn.job_id, "understand") not in children:
            yield f"lost: the end of the conversation with {turn.token} is not read"
        for kind, discriminator in wanted:
            job_id = derived_id("job", turn.job_id, kind, discriminator)
            if job_id not in stored:
                yield f"lost: no {kind} job followed from {turn.token}"
        # The reward job has the question: if a part of the turn was forgotten before it ran, it is unreadable.
        if turn.rewarded and not turn.gone and derived_id("job", turn.job_id, "reward", "") not in rewards:
            yield f"lost: the reward of {turn.token} was not counted"
    for job_id in set(rewards) - stored:
        yield f"a reward of a job {job_id[:8]} that was never published"


def _jobs(world: "World") -> Iterator[str]:
    """Every published job ended, unless its scope was erased; those of an erased scope left no trace."""
    entries = world.stores.job_store.entries
    erased = {scope for scope, level, _ in world.forgotten if level == "collection"}
    # Waiting jobs with words of a turn are unreadable once a part of it is forgotten.
    unreadable = {
        derived_id("job", turn.job_id, kind, discriminator)
        for turn in world.turns
        if turn.gone
        for kind, discriminator in (("reward", ""), ("episode", ""), ("compact", "summary"))
    } | {derived_id("newer", turn.job_id) for turn in world.turns if turn.gone}
    last = {job.ref: place for place, job in enumerate(world.topic.stored)}
    for job in {job.ref: job for job in world.topic.stored}.values():
        entry = entries.get(job.ref)
        if last[job.ref] < world.erased_jobs.get(job.ref, -1):
            if entry is not None:
                yield f"{job.kind} {job.id[:8]} of an erased scope is in the job store: {entry.state}"
        elif entry is None and job.scope not in erased and job.id not in unreadable:
            yield f"lost: {job.kind} {job.id[:8]} was published and is neither in the topic nor in the job store"
        elif entry is not None and job.kind == NEWER_KIND:
            if entry.state != "cancelled" and not (entry.state == "deferred" and entry.sealed_payload):
                yield f"{job.id[:8]}, a job for a newer version, is {entry.state} instead of waiting for one"
        elif entry is not None and entry.state not in OVER:
            yield f"{job.kind} {job.id[:8]} is {entry.state} at the end"


def readable(world: "World", scope: Scope) -> Iterator[tuple[str, str]]:
    """Everything of a scope that somebody could read, with its place."""
    for fact in world.stores.facts.held[scope].values():
        yield "graph", f"{fact.content} {fact.condition} {fact.action} {' '.join(fact.entities)} {fact.metadata}"
    for entries in world.stores.facts.histories[scope].values():
        for entry in entries:
            yield "history", f"{entry.content} {entry.before}"
    for name, index in (("vectors", world.fact_index), ("episode vectors", world.episode_index)):
        for point in index.points.get(scope, {}).values():
            yield name, json.dumps(point.payload)
    for episode in world.stores.episodes.held[scope].values():
        yield "episodes", f"{episode.goal} {episode.steps} {episode.outcome} {episode.lessons} {episode.metadata}"
    for (owner, _), held in world.stores.conversations.conversations.items():
        if owner == scope:
            for item in held.invocations:
                yield "conversations", f"{item.query} {item.result} {item.summary} {item.steps}"
            yield "conversations", json.dumps(dict(held.metadata))
    for job_entry in world.stores.job_store.entries.values():
        if job_entry.scope == scope:
            yield "job store", f"{job_entry.summary} {job_entry.error} {_plain(world, scope, job_entry.sealed_payload)}"
    for message in world.topic.unacknowledged:
        if message.head.scope == scope:
            yield "topic", _plain(world, scope, message.sealed)


def still_there(world: "World", scope: Scope, level: Level, mark: str) -> set[str]:
    """Places where something forgotten can still be read."""
    places = None
    if level in ("record", "conversation") and not world.faults.off:
        # jobs that still wait, in the topic or deferred, find it gone when they run: at the end nothing is left there either
        places = {"graph", "history", "vectors", "episodes", "episode vectors", "conversations"}
    return {place for place, text in readable(world, scope) if mark in text and (places is None or place in places)}


def _plain(world: "World", scope: Scope, sealed: str) -> str:
    """What the keys that are there now open."""
    if not sealed or not world.stores.keyring.opens(scope, sealed):
        return ""
    return bytes.fromhex(sealed.split("#")[4]).decode()
