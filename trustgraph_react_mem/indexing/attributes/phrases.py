"""Compiles the phrases of a language to patterns, found by the beginnings of their words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .wordings.wording import Wording

KEY = 4  # characters of a word by which phrases are looked up
_VALUE, _TOPIC, _GAP = "{}", "(topic)", "~"
_SPECIAL = frozenset({_VALUE, _TOPIC, _GAP})


@dataclass(frozen=True, slots=True)
class Phrase:
    """``kind``: of its list in ``Wording``; "noun"; "new": a new one of a noun; "changed": another one, without its name.

    ``value``: of a fixed phrase."""

    kind: str
    attribute: str
    pattern: re.Pattern[str]
    wording: Wording
    value: str = ""
    before: bool = False  # the value stands first


@dataclass(slots=True)
class Phrases:
    """``by_key``: beginning of a word that a phrase needs -> phrases."""

    by_key: dict[str, list[Phrase]] = field(default_factory=dict)

    def add(self, phrase: Phrase, keys: Iterator[str] | list[str]) -> None:
        for key in keys:
            self.by_key.setdefault(key[:KEY], []).append(phrase)

    def find(self, words: set[str]) -> list[Phrase]:
        """The phrases that may occur among words, each once."""
        found: dict[int, Phrase] = {}
        for key in {word[:KEY] for word in words}:
            for phrase in self.by_key.get(key, ()):
                found[id(phrase)] = phrase
        return list(found.values())


def compile_phrase(written: str) -> tuple[str, list[str]]:
    """The pattern of a phrase, and the words of which a text that has it has one."""
    parts: list[str] = []
    keys: list[str] = []
    tokens = written.split()
    for place, token in enumerate(tokens):
        space = " " if place else ""
        if token == _VALUE:
            parts.append(rf"{space}(?P<value>\S.{{0,80}}{'' if place == len(tokens) - 1 else '?'})")
        elif token == _TOPIC:
            parts.append(rf"{space}(?P<topic>[\w-]+)")
        elif token == _GAP:
            parts.append(r"(?: [\w'-]+){0,4}?")
        else:
            first, _, third = token.removesuffix("?").partition("|")
            alternatives = f"(?P<first>{_words(first)})|(?P<third>{_words(third)})" if third else _words(first)
            if token.endswith("?"):
                parts.append(f"(?:{space}(?:{alternatives}))?")
                continue
            parts.append(f"{space}(?:{alternatives})")
            options = [word.rstrip("*") for side in (first, third) if side for word in side.split("/")]
            if not keys or min(map(len, options)) > min(map(len, keys)):
                keys = options
    begin = "^" if tokens[0] == _VALUE else r"(?<![\w'-])"
    return begin + "".join(parts) + ("" if tokens[-1] == _VALUE else r"(?![\w'-])"), keys


def _words(alternatives: str) -> str:
    return "|".join(re.escape(word).replace(r"\*", r"\w*") for word in alternatives.split("/"))


def read_list(text: str) -> Iterator[tuple[str, list[str]]]:
    """Name and entries of each line of a list: "name: one; two"."""
    for line in text.strip().splitlines():
        name, _, entries = line.partition(": ")
        yield name, [entry.strip() for entry in entries.split(";") if entry.strip()]


def read_typed_values(wordings: tuple[Wording, ...]) -> dict[str, dict[str, bool]]:
    """Attribute -> value, in lower case -> whether it must be written with a capital, as it is another word, too."""
    found: dict[str, dict[str, bool]] = {}
    for wording in wordings:
        for name, entries in read_list(wording.typed):
            for entry in ", ".join(entries).split(", "):
                found.setdefault(name, {})[entry.casefold()] = entry != entry.casefold()
    return found


def compile_phrases(wordings: tuple[Wording, ...]) -> Phrases:
    found = Phrases()
    known = read_typed_values(wordings)
    for wording in wordings:
        if wording.spaceless:
            _add_spaceless(found, wording)
            continue
        for kind, text in (("says", wording.says), ("typed", wording.typed_says), ("measured", wording.measured)):
            for name, entries in read_list(text):
                for entry in entries:
                    pattern, keys = compile_phrase(entry)
                    phrase = Phrase(kind, name, re.compile(pattern, re.IGNORECASE), wording, before=entry.startswith(_VALUE))
                    found.add(phrase, [word.split()[0] for word in known[name]] if kind == "typed" else keys)
        for name, entries in read_list(wording.fixed):
            attribute, _, value = name.rpartition(" ")
            for entry in entries:
                pattern, keys = compile_phrase(entry)
                before = entry.startswith(_VALUE)
                found.add(
                    Phrase("fixed", attribute, re.compile(pattern, re.IGNORECASE), wording, value=value, before=before), keys
                )
        for template in wording.favourites.strip().splitlines():
            keys = wording.favourite_keys.split()
            found.add(Phrase("favourite", "favourite", re.compile(template, re.IGNORECASE), wording), keys)
        _add_nouns(found, wording)
    return found


def _add_spaceless(found: Phrases, wording: Wording) -> None:
    for kind, text in (("says", wording.says), ("fixed", wording.fixed)):
        for name, entries in read_list(text):
            attribute, _, value = name.rpartition(" ") if kind == "fixed" else (name, "", "")
            for entry in entries:
                found.add(Phrase(kind, attribute, re.compile(entry), wording, value=value), [wording.code])


def _add_nouns(found: Phrases, wording: Wording) -> None:
    for name, entries in read_list(wording.nouns):
        nouns = ", ".join(entries).split(", ")
        noun = (
            "(?P<noun>"
            + "|".join(re.escape(each).replace(r"\*", r"\w*") for each in sorted(nouns, key=len, reverse=True))
            + ")"
        )
        which = r"(?P<which>(?:[^\W\d_][\w-]* ){0,2}?)"
        who = rf"(?P<who>(?P<mine>{wording.mine})|(?P<theirs>{wording.theirs})|{wording.possessive}|{wording.article}) "
        name_of = rf"(?:{wording.name_of})?"
        templates = (
            (rf"(?:(?<![\w'-]){who}|^\W*){which}(?:{noun}){name_of},? ?(?:{wording.copula})(?P<value>\S.*)", False),
            (rf"^(?P<value>\S.*?),? (?:{wording.is_mine}) {which}(?:{noun})(?![\w'-])", True),
            (rf"(?<![\w'-])(?:{wording.have}) {which}(?:{noun})(?![\w'-])(?P<value>.*)", False),
            (rf"^\W*(?:{wording.new}) {which}(?:{noun})\b(?P<value>.*)", False),
            (rf"(?<![\w'-]){who}{which}(?:{noun})$", False),
            (rf"(?<![\w'-])(?P<value>[^\W\d_][\w. '-]{{0,40}}) (?:{wording.as_mine}) {which}(?:{noun})(?![\w'-])", True),
        )
        keys = [each.split()[0].rstrip("*") for each in nouns]
        changed = wording.changed.replace("{noun}", noun)
        found.add(Phrase("changed", name, re.compile(rf"(?<![\w'-])(?:{changed})(?![\w'-])", re.IGNORECASE), wording), keys)
        for place, (pattern, before) in enumerate(templates):
            phrase = Phrase(
                "new" if place in (2, 3, 4) else "noun", name, re.compile(pattern, re.IGNORECASE), wording, before=before
            )
            found.add(phrase, keys)
