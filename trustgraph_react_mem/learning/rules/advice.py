"""Whose advice a lesson is: the agent's own, that of a tool or a document, or that of a person.

The rule looks at who said a word first, never at what a sentence means:

- A lesson is its source's advice if it repeats four words of theirs in a row, if a third of its words were said by them first,
  or if a number, an address, a path or a name with signs was.
- Once others had something to say, a lesson is the agent's own only if half of its words are those of its calls of tools, of
  the person, or its own from before.  So advice in other words, or in another language, is held back, too.
- What a call taught counts as the agent's own: a value that the call which succeeded had, and the failed one before it, or the
  one that it repeats, did not.  If a tool named the value, it must be another form of what the agent had given for the same
  argument, or a short code; a lesson with another value that a tool named is the tool's.  A lesson with a value that was
  learned may have half of its words from others.  If it has such a value, or names the argument that was changed, a third of
  its words must be its own.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..invocation import ToolStep
from .words import Vocabulary, is_same_word, is_spaceless, is_telling, split_words

Voice = Literal["person", "call", "agent", "tool"]
Source = Literal["own", "tool", "person"]
TOOLS: frozenset[Voice] = frozenset({"tool"})
OTHERS: Collection[Voice] = ("tool", "person")

RUN, TELLING_IN_RUN = 4, 2  # words in a row that nobody repeats by chance, and how many of them tell who said them
MOST_OF_OTHERS, MOST_IF_EARNED = 1 / 3, 1 / 2  # share of a lesson's words that makes it the advice of who said them first
LEAST_OWN, LEAST_IF_EARNED = 1 / 2, 1 / 3  # share of an advice's words for which the agent must account
MOST_STATUS = 2  # words that others bring in without advising anything: "ok", "port in use"
SHORT = 3  # characters of a code that can name no account, address or secret
_SIGNS = re.compile(r"[@/\\_]|(?<=\w)[.:](?=\w)")
_EXACT = re.compile(r"[^\s,;()\"'<>=]*(?:[@/\\\d_]|(?<=\w)[.:](?=\w))[^\s,;()\"'<>=]*")


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a task.  ``speaker``: of a person."""

    by: Voice
    text: str
    speaker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A lesson's words, and its whole text."""

    what: Sequence[str]
    when: Sequence[str]
    title: Sequence[str]
    text: str


@dataclass(frozen=True, slots=True)
class Earned:
    """What calls taught about a lesson's words.

    ``words``: of values.  ``refused``: of values that others named, and that no call taught.  ``names``: of the arguments that
    were changed, as far as the lesson has them.  ``shown``: the lesson has such a value.
    """

    words: frozenset[str]
    refused: frozenset[str]
    names: frozenset[str]
    shown: bool


@dataclass(frozen=True, kw_only=True)  # without slots, for what is derived once
class Task:
    """What was said and done in a task.

    ``said``: in the order in which it was said, with what the agent recalled or had read before.  ``steps``: of the task
    itself.  ``episode``: id of its record.  ``shared``: several people use the memory.
    """

    episode: str
    said: Sequence[Said]
    steps: Sequence[ToolStep] = ()
    shared: bool = False

    def source_of(self, what: str, *, when: str = "", title: str = "") -> Source:
        """Whose advice it is."""
        text = f"{title} {when} {what}"
        advice = Advice(what=split_words(what), when=split_words(when), title=split_words(title), text=text)
        if self._is_advice_of(advice, TOOLS):
            return "tool"
        several = self.shared or len({each.speaker for each in self.said if each.by == "person"}) > 1
        return "person" if several and self._is_advice_of(advice, OTHERS) else "own"

    def words_of_calls(self, what: str) -> list[str]:
        """The words of an advice that stand in the calls of the task."""
        calls = Vocabulary()
        for step in self.steps:
            if step.action:
                calls.add(split_words(f"{step.action} {step.arguments}", humps=True))
        return [word for word in dict.fromkeys(split_words(what)) if word in calls]

    @cached_property
    def _words(self) -> Sequence[Sequence[str]]:
        return [split_words(each.text, humps=True) for each in self.said]

    @cached_property
    def _first_said(self) -> Vocabulary:
        vocabulary = Vocabulary()
        for place, words in enumerate(self._words):
            vocabulary.add(words, place)
        return vocabulary

    def _is_said_first_by(self, word: str, others: Collection[Voice]) -> bool:
        place = self._first_said.find(word)
        return place is not None and self.said[place].by in others

    def _is_advice_of(self, advice: Advice, others: Collection[Voice]) -> bool:
        """Whether it may be the advice of ``others``."""
        earned = self._read_earned(advice, others)

        def is_theirs(word: str) -> bool:
            return word not in earned.words and self._is_said_first_by(word, others)

        if not earned.refused.isdisjoint(advice.what) or _has_exact(advice.text, is_theirs):
            return True
        if self._repeats(advice, others, is_theirs):
            return True
        # What a person asks for is when a lesson applies.
        words = advice.what if "person" in others else (*advice.what, *advice.when, *advice.title)
        telling = [word for word in dict.fromkeys(words) if is_telling(word) or word in earned.words]
        if "person" in others:
            telling = [word for word in telling if not _has(advice.when, word)]
        most = MOST_IF_EARNED if earned.shown else MOST_OF_OTHERS
        if telling and sum(map(is_theirs, telling)) >= most * len(telling):
            return True
        return self._had_a_say(others) and not self._is_accounted_for(advice, earned, others)

    def _repeats(self, advice: Advice, others: Collection[Voice], is_theirs: Callable[[str], bool]) -> bool:
        length = RUN * (2 if any(map(is_spaceless, advice.what)) else 1)  # pairs of characters are shorter than words
        runs = {
            run
            for words in (advice.what, advice.when, advice.title)
            for run in _runs(words, length)
            if sum(is_telling(word) and is_theirs(word) for word in run) >= TELLING_IN_RUN
        }
        said = (words for each, words in zip(self.said, self._words, strict=True) if each.by in others)
        return bool(runs) and any(not runs.isdisjoint(_runs(words, length)) for words in said)

    def _had_a_say(self, others: Collection[Voice]) -> bool:
        theirs = {word for each, words in zip(self.said, self._words, strict=True) if each.by in others for word in words}
        theirs = {word for word in theirs if is_telling(word) or is_spaceless(word)}
        return sum(self._is_said_first_by(word, others) for word in theirs) > MOST_STATUS

    def _is_accounted_for(self, advice: Advice, earned: Earned, others: Collection[Voice]) -> bool:
        own = Vocabulary()
        own.add(earned.words)
        began = next((place for place, each in enumerate(self.said) if each.by in others), len(self.said))
        for place, (each, words) in enumerate(zip(self.said, self._words, strict=True)):
            if each.by == "call" or (each.by == "person" and "person" not in others) or (each.by == "agent" and place < began):
                own.add(word for word in words if not self._is_said_first_by(word, others))
        telling = [
            word
            for word in dict.fromkeys(advice.what)
            if word in earned.names or ((is_telling(word) or word in earned.words) and not _has(advice.when, word))
        ]
        least = LEAST_IF_EARNED if earned.shown or earned.names else LEAST_OWN
        return bool(telling) and sum(word in own for word in telling) >= least * len(telling)

    def _read_earned(self, advice: Advice, others: Collection[Voice]) -> Earned:
        """What the calls taught that succeeded after one of the same tool had failed."""
        words, refused, names, shown = set[str](), set[str](), set[str](), False
        for change in self._changes:
            named = [label for label in change.labels if set(label) <= set(advice.what)]
            if named and change.known:
                names.update(word for label in named for word in label if len(word) >= SHORT)
            if not all(self._may_learn(change, word, others) for word in change.fresh):
                refused.update(word for word in change.fresh if change.name and self._is_said_first_by(word, others))
                continue
            words.update(change.fresh)
            if (
                (named and set(change.fresh) <= set(advice.what))
                or (_holds(advice.what, change.value) and any(map(is_telling, change.value)))
                or any(is_telling(word) and word in advice.what for word in change.fresh)
            ):
                shown = True
                names.update(word for label in named for word in label)
        return Earned(frozenset(words), frozenset(refused - words), frozenset(names), shown)

    @cached_property
    def _changes(self) -> Sequence["_Change"]:
        return list(_read_changes(self.steps))

    def _may_learn(self, change: "_Change", word: str, others: Collection[Voice]) -> bool:
        """Whether the call taught a word of its value, and not the one who named it."""
        if not self._is_said_first_by(word, others):
            return True
        if not change.known:
            return False  # an argument that they brought in
        if change.is_code or sum(map(len, change.fresh)) < SHORT:
            return True
        plain = not any(sign.isdigit() for sign in word) and not change.has_signs
        return plain and any(_is_form_of(new, old) for new in change.value for old in change.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """An argument of a call that succeeded, which the failed call before it did not have so.

    ``known``: the failed call had the argument.  ``fresh``: words of the value that its former value had not.
    ``is_code``: the value is true or false, or too short to name anybody or anything.  ``has_signs``: it looks like an address
    or a path.
    """

    name: Sequence[str]
    before: Sequence[str]
    value: Sequence[str]
    known: bool
    is_code: bool
    has_signs: bool

    @property
    def fresh(self) -> list[str]:
        return [word for word in self.value if word not in self.before]

    @property
    def labels(self) -> list[Sequence[str]]:
        """What names the fresh words: the argument, and words before them: "class" in "RE3 class 2" for "RE3 class second"."""
        pairs = zip(self.value, self.value[1:], strict=False)
        before = [[first] for first, second in pairs if first in self.before and second in self.fresh and is_telling(first)]
        return [*([self.name] if self.name else []), *before]


def _read_changes(steps: Sequence[ToolStep]) -> Iterator[_Change]:
    """The changes of each call that worked after a failed one of the same tool, or that tried the last call again.

    A tool may report an error as a plain text.  Then the agent calls it at once again with the same arguments and other values.
    """
    calls = [(step, _read_arguments(step)) for step in steps if step.action]
    for place, (former, before) in enumerate(calls):
        for later, (step, after) in enumerate(calls[place + 1 :]):
            again = later == 0 and before.keys() <= after.keys()
            if step.failed or step.action != former.action or not (former.failed or again):
                continue
            for name, value in after.items():
                change = _Change(
                    name=split_words(name),
                    before=split_words(before.get(name, "")),
                    value=split_words(value),
                    known=bool(name) and name in before,
                    is_code=_is_code(value),
                    has_signs=bool(re.search(r"[@/\\:.]", value)),
                )
                if change.value != change.before:
                    yield change


def _read_arguments(step: ToolStep) -> Mapping[str, str]:
    """The arguments by name; the whole text under "" if they are no JSON object."""
    try:
        read = json.loads(step.arguments)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        return {"": step.arguments}
    return {name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for name, value in read.items()}


def _is_code(value: str) -> bool:
    """Whether a value is a JSON boolean, two signs, or three capitals: "true", "de", "EUR", "2"."""
    value = value.strip()
    return value in ("true", "false") or len(value) < SHORT or (len(value) == SHORT and value.isupper())


def _is_form_of(new: str, old: str) -> bool:
    return is_same_word(new, old) or (min(len(new), len(old)) >= SHORT and (new.startswith(old) or old.startswith(new)))


def _has_exact(text: str, is_theirs: Callable[[str], bool]) -> bool:
    """Whether a number, an address, a path or a name with signs has a word of theirs.  A short number names nothing."""
    for found in _EXACT.findall(text):
        signs = _SIGNS.search(found)
        for word in split_words(found):
            if len(word) >= SHORT and (signs or not word.isalpha()) and not is_spaceless(word) and is_theirs(word):
                return True
    return False


def _runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[place : place + length]) for place in range(len(words) - length + 1))


def _has(words: Sequence[str], word: str) -> bool:
    return any(is_same_word(word, each) for each in words)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return bool(part) and tuple(part) in _runs(words, len(part))
