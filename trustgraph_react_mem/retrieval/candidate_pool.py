"""Selection of candidates: which records may be recalled, the best of them, and limits per person.

Quarantined and expired records are never candidates, and neither is what was merged into another record.  The best former
entries are, with what took their place.  Records with identical text count once, as the newest of them.

A short record that ends with a question mark is no candidate: a question of the past would only resemble the same question of
today.  A long one is, because it tells what a person works on: "How do I get alerts when the bounce rate exceeds 40 %?"
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import is_lesson, with_speaker
from ..indexing.token_signs import late_scores
from ..indexing.tokenizer import terms
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import JsonValue, Matrix, Signs
from .columns.scope_columns import KINDS, ScopeColumns, is_question
from .columns.vectors import Column
from .date_evidence import MOST_TOLD, tells_of
from .features import Question, columns
from .query import RetrievalQuery
from .replacements import Replaced, find_replaced
from .speakers import find_named
from .temporal import TimeRange
from .weighting import FEATURE_NAMES, fuse, weights_for

FORMER_CANDIDATES = 6
SPARE = 30  # extra candidates that replace dropped duplicates
_TEXT, _WORDS = FEATURE_NAMES.index("text"), FEATURE_NAMES.index("words")
_LATE, _DATE = FEATURE_NAMES.index("late"), FEATURE_NAMES.index("date")
#: Of late scores over fifty candidates (e5-small-v2).  Where they differ less, as in a small memory, the difference is chance.
USUAL_DEVIATION = 0.027
FEW, ENOUGH = 5, 25  # candidates: standard scores say nothing among a few
MOST_OF_TERMS = 2 / 3  # of a question, in one record: it is meant, although no vector is similar
SHORTEST_HEAD, SHORTEST_TAIL = 4, 6  # letters of a word with which another begins or ends
LEAST_TERMS, LEAST_OF_QUESTION = 2, 7  # of a turn that tells something, and of one that ends with a question mark
RULE_SIMILARITY = 0.35  # minimum calibrated similarity of a rule to the task
#: The same of a lesson, whose vector is that of its condition alone.  Of 18 tasks in other words than their condition, 16 reach
#: it, and so do 4 % of the pairs that do not belong together (e5-small-v2).
LESSON_SIMILARITY = 0.2
_PROCEDURAL = KINDS.index("procedural")


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePool:
    """Records that may be recalled, best first.

    ``vectors`` (P, d): "text" vectors.  ``table`` (F, P): feature columns.  ``base`` (P,): fused scores.  ``cosines`` (P,): the
    higher of the raw similarities to the "text" and "context" vectors.  ``tokens``: of each record, as far as they are known.
    ``weights`` (F,): of the features in this scope.  ``replaced``: what took the place of former entries, and of everything
    that was derived from a turn, by id.
    """

    ids: Sequence[str]
    payloads: Sequence[Mapping[str, JsonValue]]
    vectors: Matrix
    table: NDArray[np.float32]
    base: NDArray[np.float32]
    cosines: NDArray[np.float32]
    tokens: Sequence[Signs | None]
    weights: Column
    replaced: Mapping[str, Replaced] = field(default_factory=dict)

    def take(self, rows: Sequence[int]) -> "CandidatePool":
        return replace(
            self,
            ids=[self.ids[row] for row in rows],
            payloads=[self.payloads[row] for row in rows],
            vectors=self.vectors[rows],
            table=self.table[:, rows],
            base=self.base[rows],
            cosines=self.cosines[rows],
            tokens=[self.tokens[row] for row in rows],
        )

    def is_former(self, row: int) -> bool:
        """Whether a record is a former entry.  A turn is none."""
        return self.ids[row] in self.replaced and self.payloads[row].get("kind") != "turn"

    def in_order(self) -> "CandidatePool":
        """Sorted by score.  Equal scores are ordered by id, so that a rebuilt scope returns the same order."""
        return self.take(sorted(range(len(self.ids)), key=lambda row: (-self.base[row], self.ids[row])))

    def match_tokens(self, asked: Signs) -> "CandidatePool":
        """With the column "late", in the order of the new scores.  ``asked``: the tokens of the question.

        The column has standard scores over the candidates; 0 for those whose tokens are not known.
        """
        scores = late_scores(asked, self.tokens)
        known = np.isfinite(scores)
        if not known.any():
            return self
        deviation = max(float(scores[known].std()), USUAL_DEVIATION)
        share = np.clip((np.count_nonzero(known) - FEW) / (ENOUGH - FEW), 0.0, 1.0)
        late = np.where(known, share * (scores - scores[known].mean()) / deviation, 0).astype(np.float32)
        table = self.table.copy()
        table[_LATE] = late
        return replace(self, table=table, base=self.base + self.weights[_LATE] * late).in_order()

    def match_times(self, ranges: Collection[TimeRange], zone: tzinfo) -> "CandidatePool":
        """With the full evidence of the date for records that name a time within the ranges, in the order of the new scores."""
        near = [row for row, dated in enumerate(self.table[_DATE].tolist()) if 0 < dated < 1][:MOST_TOLD]
        told = [row for row in near if tells_of(self.payloads[row], ranges, zone)]
        if not told:
            return self
        table, base = self.table.copy(), self.base.copy()
        base[told] += self.weights[_DATE] * (1 - table[_DATE, told])
        table[_DATE, told] = 1
        return replace(self, table=table, base=base).in_order()

    def above(self, least: Sequence[float], profile: EmbeddingProfile) -> "CandidatePool":
        """The records with at least this calibrated similarity (0 to 1) each."""
        known = [profile.calibrate(cosine) for cosine in self.cosines.tolist()]
        return self.take([row for row, similarity in enumerate(known) if similarity >= least[row]])

    def rules_for_task(self, profile: EmbeddingProfile) -> "CandidatePool":
        """The rules that are similar enough to the task."""
        return self.above([LESSON_SIMILARITY if is_lesson(payload) else RULE_SIMILARITY for payload in self.payloads], profile)

    def contains_most(self, wanted: Collection[str]) -> bool:
        """Whether one record contains all these terms (at least one), or most of several."""
        asked = set(wanted)
        least = math.ceil(MOST_OF_TERMS * len(asked))
        return bool(asked) and any(len(found & asked) >= least for found in self._terms())

    def contains_any(self, wanted: Collection[str]) -> bool:
        """Whether a record contains one of these terms, or a word that is a part of one, or of which one is a part."""
        return any(_is_part(term, word) for found in self._terms() for term in set(wanted) for word in found)

    def _terms(self) -> Iterator[set[str]]:
        for payload in self.payloads:
            said = with_speaker(str(payload.get("speaker") or ""), str(payload.get("content") or ""))
            yield set(terms(said, str(payload.get("language") or "auto")))

    def rows_that_name(self, names: Collection[str]) -> list[int]:
        """The records that contain one of these names, in lower case."""
        if not names:
            return []
        named = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
        return [row for row, payload in enumerate(self.payloads) if named.search(str(payload.get("content") or "").casefold())]


def _is_part(one: str, other: str) -> bool:
    """Whether two terms are the same, one begins or ends the other ("Schlüssel", "Haustürschlüssel"), or both are forms of a
    Korean word, which particles change.
    """
    if one == other:
        return True
    if "가" <= one[0] <= "힣":
        return len(one) > 1 and one[:2] == other[:2]
    short, long = sorted((one, other), key=len)
    return (len(short) >= SHORTEST_HEAD and long.startswith(short)) or (len(short) >= SHORTEST_TAIL and long.endswith(short))


def candidates_in_memory(
    scope: ScopeColumns, question: Question, query: RetrievalQuery, now: datetime
) -> tuple[CandidatePool, CandidatePool]:
    """The best facts, and the best rules if the query asks for rules.

    Rules are ranked only by vector and words, because speaker and time do not matter for them.
    """
    with scope.lock:
        current, former = _recallable(scope, query, now)
        kind = scope.column("kind")
        conditional = (kind == _PROCEDURAL) & ~scope.column("standing")  # the others are shown with every question
        ruling = current & conditional if query.rules else np.zeros(scope.n, np.bool_)
        if query.kinds:
            wanted = np.isin(kind, [KINDS.index(name) for name in query.kinds if name in KINDS])
        else:
            wanted = kind != _PROCEDURAL if query.rules else np.ones(scope.n, np.bool_)
        found = _Scored(scope, columns(scope, question), weights_for(scope.column("lengths")), question)
        facts = _best_facts(found, current & wanted, former & wanted, query.candidates + SPARE, now)
        of_rules = found.table[_TEXT] + found.table[_WORDS]
        return facts, found.pool(of_rules, found.best(of_rules, ruling, query.rules))


@dataclass(frozen=True, slots=True)
class _Scored:
    """A scope with the columns (F, n) for a question.  Scores (n,) are by slot."""

    scope: ScopeColumns
    table: NDArray[np.float32]
    weights: Column
    question: Question

    def best(self, scores: Column, among: NDArray[np.bool_], limit: int) -> list[int]:
        """The slots of the ``limit`` best finite scores, best first."""
        usable = np.flatnonzero(among & np.isfinite(scores))
        limit = min(limit, len(usable))
        return self.in_order(scores, usable[np.argpartition(-scores[usable], limit - 1)[:limit]].tolist() if limit else [])

    def in_order(self, scores: Column, slots: Iterable[int]) -> list[int]:
        # Equal scores are ordered by id, so that a rebuilt scope returns the same order.
        return sorted(slots, key=lambda slot: (-scores[slot], self.scope.ids[slot]))

    def pool(self, scores: Column, slots: Sequence[int]) -> CandidatePool:
        scope, question = self.scope, self.question
        vectors, context = scope.vectors.rows("text", slots), scope.vectors.rows("context", slots)
        return CandidatePool(
            ids=[scope.ids[slot] for slot in slots],
            payloads=[scope.payloads[slot] for slot in slots],
            vectors=vectors,
            table=self.table[:, slots],
            base=scores[slots].astype(np.float32),
            cosines=np.nan_to_num(np.maximum(vectors @ question.vector, context @ question.vector)),
            tokens=[scope.signs(slot) for slot in slots],
            weights=self.weights,
        )


def _best_facts(
    found: _Scored, current: NDArray[np.bool_], former: NDArray[np.bool_], limit: int, now: datetime
) -> CandidatePool:
    """The ``limit`` best current records, a few former ones, and what took the place of these and of turns."""
    scope = found.scope
    scores = np.full(scope.n, -np.inf, np.float32)
    for group in map(np.flatnonzero, (current, former)):
        scores[group] = fuse(found.table[:, group], found.weights)
    chosen = dict.fromkeys(found.best(scores, current, limit))
    old = found.best(scores, former, FORMER_CANDIDATES)
    records = [(scope.ids[slot], scope.payloads[slot]) for slot in [*chosen, *old]]
    replaced = find_replaced(records, scope.entries_of, scope.find, now)
    newer = (scope.slots.get(record_id) for each in replaced.values() for record_id in each.ids)
    chosen |= dict.fromkeys(slot for slot in newer if slot is not None and current[slot])
    return replace(found.pool(scores, found.in_order(scores, [*chosen, *old])), replaced=replaced)


def is_telling(payload: Mapping[str, JsonValue]) -> bool:
    """Whether a turn has terms enough to be a candidate, as ``_recallable`` decides by the columns.  Others always are."""
    if payload.get("kind") != "turn":
        return True
    content = str(payload.get("content") or "")
    said = with_speaker(str(payload.get("speaker") or ""), content)
    least = LEAST_OF_QUESTION if is_question(content) else LEAST_TERMS
    return len(terms(said, str(payload.get("language") or "auto"))) >= least


def _recallable(scope: ScopeColumns, query: RetrievalQuery, now: datetime) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(n,) masks of the records of any kind that may be recalled: those that hold now, and former ones."""
    at = now.timestamp()
    ended = scope.column("former_from") <= at
    current = scope.column("active") & ~ended & (scope.column("recalled_until") > at)
    least = np.where(scope.column("question") > 0, LEAST_OF_QUESTION, LEAST_TERMS)
    allowed: NDArray[np.bool_] = (scope.column("lengths") >= least) | (scope.column("kind") != KINDS.index("turn"))
    elsewhere = scope.column("only_here")
    if elsewhere.any():
        allowed &= ~(elsewhere & (scope.column("source") != scope.sources.get(query.conversation_id, -1)))
    if query.created_after is not None:
        allowed &= scope.column("created_at") >= query.created_after.timestamp()
    for record_id in query.exclude:
        if record_id in scope.slots:
            allowed[scope.slots[record_id]] = False
    return current & allowed, ended & scope.column("alive") & scope.followed & allowed


def drop_duplicates(pool: CandidatePool, limit: int) -> CandidatePool:
    """The first ``limit`` records with different text, of those with the same one the newest, and what belongs to them.

    Former entries among them are extra, and so is what took the place of any.
    """
    by_text: dict[str, int] = {}
    for row, payload in enumerate(pool.payloads):
        words = f"{payload.get('speaker') or ''}\x1f{payload.get('content') or ''}".casefold().strip()
        known = by_text.setdefault(words, row)
        if _precedence(pool, row) > _precedence(pool, known):
            by_text[words] = row
    rows: dict[int, None] = {}
    current = 0
    for row in by_text.values():
        if current == limit:
            break
        rows[row] = None
        current += not pool.is_former(row)
    wanted = {newer for row in rows if pool.ids[row] in pool.replaced for newer in pool.replaced[pool.ids[row]].ids}
    rows |= {row: None for row in by_text.values() if pool.ids[row] in wanted}
    return pool.take(sorted(rows))


def _precedence(pool: CandidatePool, row: int) -> tuple[bool, str]:
    payload = pool.payloads[row]
    return not pool.is_former(row), str(payload.get("said_at") or payload.get("created_at") or "")


def cap_per_person(order: Sequence[int], people: Sequence[str], question: Question, limit: int) -> list[int]:
    """The first ``limit`` rows of ``order``, at most half of them by one person.

    ``people``: for each row the verified person who said it.  All others ("") count as one, because anybody can use a name.
    A verified person whom the question names is not limited.  Used for shared memories, so that a person who stores many
    records that match many questions cannot fill the whole result.  If too few other rows exist, the rest is filled regardless.
    """
    unlimited = set(find_named(question.text, set(people) - {""}))
    most, taken = (limit + 1) // 2, Counter[str]()
    chosen: list[int] = []
    left: list[int] = []
    for row in order:
        who = people[row]
        if who not in unlimited and taken[who] == most:
            left.append(row)
            continue
        taken[who] += 1
        chosen.append(row)
        if len(chosen) == limit:
            return chosen
    return [*chosen, *left[: limit - len(chosen)]]
