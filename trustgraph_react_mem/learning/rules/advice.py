"""Whose advice a lesson is: the agent's own, or that of a tool, a document or another person.

The rule looks at who said a word first, never at what a sentence means.  A lesson is another's advice if it repeats four words
of theirs in a row, or a number, an address, a path or a name with signs that they said first.  Once others had something to
say, it is the agent's own only if half of its words are those of its calls, of the person who asked, or its own from before.

What a call taught that succeeded after a failed one of the same tool counts as the agent's own, even if the error named it: the
names of the arguments that were changed, and values that are short codes or complete the former one.  Such a lesson needs a
smaller share.  With another value that a tool named, it is the tool's.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..invocation import ToolStep
from .words import Vocabulary, is_same_word, is_spaceless, is_telling, split_words

RUN = 4  # words in a row that nobody repeats by chance
LEAST_OWN, LEAST_IF_LEARNED = 0.5, 0.4  # share of an advice's words for which the agent must account
MOST_STATUS = 2  # words that others bring in without advising anything: "ok", "port in use"
SHORT = 3  # characters of a code that can name no account, address or secret
_SIGNS = re.compile(r"[@/\\_]|(?<=\w)[.:](?=\w)")
_EXACT = re.compile(r"[^\s,;()\"'<>=]*(?:[@/\\\d_]|(?<=\w)[.:](?=\w))[^\s,;()\"'<>=]*")


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a task.  ``person``: who asked.  ``other``: a tool, a document or another person."""

    by: Literal["person", "call", "agent", "other"]
    text: str


def is_own_advice(said: Sequence[Said], steps: Sequence[ToolStep], what: str, *, when: str = "") -> bool:
    """Whether the advice ``what`` for tasks like ``when`` is the agent's own.

    ``said``: in order, with what the agent recalled or had read before.  ``steps``: of the task itself.
    """
    words = [split_words(each.text, humps=True) for each in said]
    first_said = Vocabulary()
    for place, spoken in enumerate(words):
        first_said.add(spoken, place)

    @cache
    def is_theirs(word: str) -> bool:
        place = first_said.find(word)
        return place is not None and said[place].by == "other"

    advised, about = split_words(what), split_words(when)
    theirs = [spoken for each, spoken in zip(said, words, strict=True) if each.by == "other"]
    learned, values = _read_repairs(steps)
    if any(word in values and is_theirs(word) for word in advised):
        return False
    repeated = 1 if learned.isdisjoint(advised) else 2  # words of a run that tell who said it
    if _has_exact(f"{when} {what}", is_theirs) or _repeats((advised, about), theirs, is_theirs, least=repeated):
        return False
    brought_in = {word for spoken in theirs for word in spoken if is_telling(word) or is_spaceless(word)}
    if sum(map(is_theirs, brought_in)) <= MOST_STATUS:
        return True
    own = Vocabulary()
    own.add(learned)
    began = next(place for place, each in enumerate(said) if each.by == "other")
    for place, (each, spoken) in enumerate(zip(said, words, strict=True)):
        if each.by in ("call", "person") or (each.by == "agent" and place < began):
            own.add(word for word in spoken if not is_theirs(word))
    telling = [word for word in dict.fromkeys(advised) if word in learned or (is_telling(word) and not _has_form(about, word))]
    least = LEAST_OWN if learned.isdisjoint(advised) else LEAST_IF_LEARNED
    return bool(telling) and sum(word in own for word in telling) >= least * len(telling)


def _read_repairs(steps: Sequence[ToolStep]) -> tuple[set[str], set[str]]:
    """What calls taught that worked after a failed one of the same tool, or that tried the last call again.

    The names and plain values of the changed arguments, and the new words of their other values.  A tool may report an error as
    a plain text.  Then the agent calls it at once again with the same arguments and other values.
    """
    learned, values = set[str](), set[str]()
    calls = [(step, _read_arguments(step)) for step in steps if step.action]
    for place, (former, before) in enumerate(calls):
        for later, (step, after) in enumerate(calls[place + 1 :]):
            again = later == 0 and before.keys() <= after.keys()
            if step.failed or step.action != former.action or not (former.failed or again):
                continue
            for name in after.keys() & before.keys():
                if after[name] != before[name]:
                    learned.update(split_words(name))
                    known, value = set(split_words(before[name])), set(split_words(after[name]))
                    fresh = value - known
                    completed = known & value and not re.search(r"[@/\\:.\d]", after[name])  # "Hamburg Hbf" for "Hamburg"
                    plain = completed or _is_code(after[name]) or sum(map(len, fresh)) < SHORT
                    (learned if plain else values).update(fresh)
    return learned, values


def _read_arguments(step: ToolStep) -> Mapping[str, str]:
    """The arguments by name; none if they are no JSON object."""
    try:
        read = json.loads(step.arguments)
    except ValueError:
        return {}
    if not isinstance(read, dict):
        return {}
    return {name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for name, value in read.items()}


def _is_code(value: str) -> bool:
    """Whether a value is a JSON boolean, two signs, or three capitals: "true", "de", "EUR", "2"."""
    value = value.strip()
    return value in ("true", "false") or len(value) < SHORT or (len(value) == SHORT and value.isupper())


def _has_exact(text: str, is_theirs: Callable[[str], bool]) -> bool:
    """Whether a number, an address, a path or a name with signs has a word of theirs.  A short number names nothing."""
    words = ((_SIGNS.search(found), word) for found in _EXACT.findall(text) for word in split_words(found))
    return any(
        len(word) >= SHORT and (signs or not word.isalpha()) and not is_spaceless(word) and is_theirs(word)
        for signs, word in words
    )


def _repeats(
    parts: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]], is_theirs: Callable[[str], bool], *, least: int
) -> bool:
    length = RUN * (2 if any(map(is_spaceless, parts[0])) else 1)  # pairs of characters are shorter than words
    runs = {
        run
        for words in parts
        for run in _runs(words, length)
        if sum(is_telling(word) and is_theirs(word) for word in run) >= least
    }
    return bool(runs) and any(not runs.isdisjoint(_runs(words, length)) for words in theirs)


def _runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[place : place + length]) for place in range(len(words) - length + 1))


def _has_form(words: Sequence[str], word: str) -> bool:
    return any(is_same_word(word, each) for each in words)
