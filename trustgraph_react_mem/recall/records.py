"""The result of a recall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo

from ..memory.former import day_of, until_note, when_note
from ..memory.ports import JsonValue, Switches
from ..memory.records import INSTRUCTION, SPEAKER
from ..schema import Episode, Fact
from .query import Decision, SearchQuery
from .thread import Thread

UNTRUSTED = ("tool", "document")  # their words are shown as theirs, and are never a rule


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPart:
    """``reason`` is "deadline", "not-configured", or the wire type of an error.  It never holds user text."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalInfo:
    """How facts were ranked, complete enough for a reward job to replay it.

    ``features`` has shape (K, F), with one row per id in ``candidate_ids`` and one column per name in ``feature_names``.
    """

    candidate_ids: tuple[str, ...]
    shown_ids: tuple[str, ...] = ()
    features: tuple[tuple[float, ...], ...]
    feature_names: tuple[str, ...]
    question: str
    mode: str
    policy_version: int
    seed: int

    def payload(self) -> dict[str, JsonValue]:
        """The ``retrieval`` object of record and reward jobs, without the citations."""
        return {
            "candidate_ids": list(self.candidate_ids),
            "shown_ids": list(self.shown_ids),
            "features": [list(row) for row in self.features],
            "feature_names": list(self.feature_names),
            "query": self.question,
            "mode": self.mode,
            "policy_version": self.policy_version,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The memories for a turn.  The index of a fact in ``citable`` (from 0) is its citation number.

    ``looked_up``: facts that the model found with a tool.  Observations show them, not the prompt's block of memories.

    ``conversation_id``: the conversation that the turn belongs to; "" if the conversations service did not say.
    ``switches``: the person's memory switches as the services reported them.  None: no service reported them.
    ``zone``: of the asker, for days.
    """

    facts: tuple[Fact, ...] = ()
    looked_up: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    conversation_id: str = ""
    thread: Thread = field(default_factory=Thread)
    missing: tuple[MissingPart, ...] = ()
    gate: Decision
    query: SearchQuery
    retrieval: RetrievalInfo | None = None
    switches: Switches | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 0
    zone: tzinfo = UTC

    @property
    def citable(self) -> tuple[Fact, ...]:
        return (*self.facts, *self.looked_up)

    @property
    def instructions(self) -> tuple[dict[str, str], ...]:
        """The rules that the person gave: ``number`` (from 1), ``condition`` (may be empty) and ``action`` of each.

        What a tool, a document or the assistant said is none, whatever its metadata says.
        """
        return tuple({"number": str(number), **_rule(rule)} for number, rule in enumerate(self._trusted_rules(given=True), 1))

    @property
    def instruction_ids(self) -> tuple[str, ...]:
        """The ids of ``instructions``."""
        return tuple(rule.id for rule in self._trusted_rules(given=True))

    @property
    def learned_rules(self) -> tuple[dict[str, str], ...]:
        """The other rules, as ``instructions``."""
        return tuple(map(_rule, self._trusted_rules(given=False)))

    def _trusted_rules(self, *, given: bool) -> list[Fact]:
        trusted = (rule for rule in self.rules if rule.status == "active" and rule.trust not in UNTRUSTED)
        return [rule for rule in trusted if (INSTRUCTION in rule.metadata and rule.trust in ("user", "import")) is given]

    def look_up(self, found: Sequence[Fact], retrieval: RetrievalInfo) -> "Recalled":
        """The recall with facts that a tool found, so that the answer can cite them and the ranking learns from that."""
        shown_before = {fact.id for fact in self.citable}
        new = [fact for fact in found if fact.id not in shown_before]
        known = self.retrieval
        # Rows of two queries can be put together only if they have the same columns.
        if known is None or known.feature_names != retrieval.feature_names:
            merged = replace(retrieval, shown_ids=tuple(fact.id for fact in new)) if not self.facts else known
        else:
            rows = dict(zip(known.candidate_ids, known.features, strict=False))
            rows = {**dict(zip(retrieval.candidate_ids, retrieval.features, strict=False)), **rows}
            shown = (*known.shown_ids, *(fact.id for fact in new))
            merged = replace(known, candidate_ids=tuple(rows), features=tuple(rows.values()), shown_ids=shown)
        return replace(self, looked_up=(*self.looked_up, *new), retrieval=merged)

    def note(self, *, with_content: bool) -> dict[str, JsonValue]:
        """Which memories were shown, with their scores, and which parts of recall were missing.

        ``with_content`` False: the note holds no text of a person.
        """
        return {
            "memories": [self._scores(fact, with_content=with_content) for fact in self.citable],
            "rules": [fact.id for fact in self.rules],
            "episodes": [episode.id for episode in self.episodes],
            "missing": [{"part": part.part, "reason": part.reason} for part in self.missing],
            "gate": "" if self.gate == "search" else self.gate,
            **({"query": self.query.question} if with_content else {}),
            "mode": self.query.mode,
            "tokens": self.tokens,
            "timings_ms": dict(self.timings_ms),
        }

    def _scores(self, fact: Fact, *, with_content: bool) -> dict[str, JsonValue]:
        note: dict[str, JsonValue] = {
            "id": fact.id,
            "kind": fact.kind,
            "score": fact.score,
            "retrieval_score": fact.retrieval_score,
            "similarity": fact.similarity,
            "probability": fact.probability,
            "rank_before": fact.rank_before,
            "why": dict(fact.why),
        }
        if with_content:
            note |= {"content": fact.content, "speaker": fact.speaker, "said_at": fact.timestamp}
            if until := until_note(fact, zone=self.zone, numbers=self.numbers):
                note["until"] = until
        return note

    @property
    def numbers(self) -> dict[str, int]:
        """The citation numbers of the memories, by id."""
        return {fact.id: number for number, fact in enumerate(self.citable)}

    def when(self, fact: Fact) -> str:
        """The day of a memory, with the time of day if the same person said another one at another time of that day."""
        note, day = when_note(fact, zone=self.zone), fact.timestamp[:10]
        times = {other.timestamp for other in self.facts if (other.timestamp[:10], other.speaker) == (day, fact.speaker)}
        return fact.timestamp[:16].replace("T", " ") if note == day and len(times) > 1 else note

    def variables(self) -> dict[str, JsonValue]:
        """The prompt variables, by block.

        ``instructions`` are the rules that the person gave, ``rules`` those that were learned.  A former memory has the day
        from which it is (``ended``), and the number and the text of what took its place (``newer``, ``newer_text``).
        """
        return {
            "memories": [
                {
                    "number": number,
                    "text": fact.content,
                    "when": self.when(fact),
                    "speaker": fact.speaker,
                    "by": origin_of(fact),
                    "kind": fact.kind,
                    "original": fact.metadata.get("original", ""),
                    "ended": day_of(fact.former_since, self.zone),
                    "newer": self.numbers.get(fact.superseded_by, ""),
                    "newer_text": fact.replacement,
                }
                for number, fact in enumerate(self.facts)
            ],
            "instructions": list(self.instructions),
            "rules": list(self.learned_rules),
            "episodes": [
                {
                    "speaker": asker_of(episode),
                    "goal": episode.goal,
                    "steps": "; ".join(episode.steps),
                    "outcome": episode.outcome,
                    "lessons": episode.lessons,
                    "succeeded": episode.succeeded,
                }
                for episode in self.episodes
            ],
            "exchanges": [
                {"query": exchange.query, "result": exchange.result or exchange.summary} for exchange in self.thread.exchanges
            ],
            "earlier": self.thread.earlier,
        }


def origin_of(fact: Fact) -> str:
    """Who said it, if that is not the person and the speaker's name does not show it: "assistant", "tool" or "document"."""
    shown = fact.trust in UNTRUSTED or (fact.trust == "assistant" and fact.speaker.casefold() != "assistant")
    return fact.trust if shown else ""


def asker_of(episode: Episode) -> str:
    """The name of the person who asked for the task; "" if there is none."""
    name = episode.metadata.get(SPEAKER, "")
    return "" if name.casefold() == "user" else name


def teaching_episodes(episodes: Sequence[Episode], most: int) -> tuple[Episode, ...]:
    """The first ``most`` episodes that say how a task was done and what was learned from it.

    A lesson that is held back is not among an episode's lessons.
    """
    return tuple(each for each in episodes if each.lessons and each.steps)[:most]


def _rule(rule: Fact) -> dict[str, str]:
    return {"condition": rule.condition, "action": rule.action or rule.content}
