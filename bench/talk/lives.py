"""Generates lives: a person who talks in several sessions, states facts, changes them, gives instructions and asks questions.

``data/lives.json`` has the templates by language.  A topic has slots, statements ``[session, wordings]`` and questions
``[session, category, wordings, value]``.  A life with the same seed is always the same.
"""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
SESSIONS = 6
FIRST_MONDAY = datetime(2026, 2, 2, 18, tzinfo=UTC)
DIARY_SESSION = 3  # its statements are made on the days of its week, from Tuesday on
UNKNOWN = "never told"
CHANGES = ("changed", "corrected")  # categories of questions about what was said again in another way
LANGUAGES = ("en", "de", "en", "fr", "en", "es")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``value``: what a right answer holds, and what must be in the prompt.  Empty: it was never told."""

    category: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message.  ``item``: what a good model understands of it (``understood``); ``long``: a question with a long answer."""

    at: datetime
    conversation: str
    text: str
    question: Question | None = None
    item: Mapping[str, Any] | None = None
    long: bool = False
    ends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    seed: int
    language: str
    messages: tuple[Said, ...]

    @property
    def name(self) -> str:
        return f"{self.language}-{self.seed}"


@cache
def templates() -> Mapping[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / "lives.json").read_text("utf-8"))
    return loaded


def make_life(seed: int) -> Life:
    language = LANGUAGES[seed % len(LANGUAGES)]
    return _Writer(seed, language, templates()[language]).write()


class _Writer:
    """Collects the messages of each session: first what is said, then small talk, then what is asked."""

    def __init__(self, seed: int, language: str, source: Mapping[str, Any]) -> None:
        self._seed = seed
        self._language = language
        self._source = source
        self._random = random.Random(f"life {seed}")
        self._pools = {name: self._random.sample(values, len(values)) for name, values in source["values"].items()}
        self._said: list[list[tuple[str, Mapping[str, Any] | None, int]]] = [[] for _ in range(SESSIONS)]
        self._asked: list[list[tuple[str, Question]]] = [[] for _ in range(SESSIONS)]

    def write(self) -> Life:
        for topic in self._source["topics"]:
            self._add_topic(topic)
        for text in self._random.sample(self._source["unknown"], 2):
            self._asked[self._random.randrange(2, SESSIONS)].append((text, Question(category=UNKNOWN)))
        messages = [message for session in range(SESSIONS) for message in self._session(session)]
        return Life(seed=self._seed, language=self._language, messages=tuple(messages))

    def _add_topic(self, topic: Mapping[str, Any]) -> None:
        slots = {slot: self._pools[kind].pop() for slot, kind in topic["slots"].items()}
        days = list(topic.get("days", {}).values())
        changes = any(category in CHANGES for _, category, *_ in topic["asked"])
        before: list[str] = []
        for number, (session, wordings) in enumerate(topic["said"]):
            text = self._random.choice(wordings).format(**slots)
            kind = "rule" if "rule" in topic else "event" if days else "state"
            item = {"op": "replace" if changes and before else "add", "old": before, "kind": kind, "text": text, "line": text}
            self._said[session].append((text, item, days[number] if days else 0))
            before = [text] if changes else []
        for session, category, wordings, value in topic["asked"]:
            question = Question(category=category, value=value.format(**slots))
            self._asked[session].append((self._random.choice(wordings).format(**slots), question))

    def _session(self, number: int) -> list[Said]:
        name = f"life-{self._seed}-{number}"
        # The week after the diary is the next one, so that its questions can say "last Tuesday".
        began = FIRST_MONDAY + timedelta(weeks=number if number <= DIARY_SESSION + 1 else number + 2)
        said = sorted(self._said[number], key=lambda each: each[2])
        lines: list[tuple[str, Mapping[str, Any] | None, Question | None, bool, int]] = []
        for text, item, day in said:
            lines.append((text, item, None, False, day))
            if self._random.random() < 0.5:
                lines.append((self._random.choice(self._source["chat"]), None, None, False, day))
        last_day = max((day for *_, day in said), default=0)
        lines.append((self._random.choice(self._source["long"]), None, None, True, last_day))
        lines += [(text, None, question, False, last_day) for text, question in self._asked[number]]
        found = []
        for count, (text, item, question, long, day) in enumerate(lines):
            at = began + timedelta(days=day + (number == DIARY_SESSION), minutes=2 * count)
            if item and item["kind"] == "event":
                item = {**item, "text": f"{text} ({at:%Y-%m-%d})", "from": f"{at:%Y-%m-%d}"}
            last = count == len(lines) - 1
            found.append(Said(at=at, conversation=name, text=text, item=item, question=question, long=long, ends=last))
        return found
