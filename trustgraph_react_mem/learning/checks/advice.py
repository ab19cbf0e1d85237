"""Whose advice a lesson is: the agent's own, or that of a tool, a document or another person.

Advice that was put into other words, or into another language, shares no word with its source.  So it is not enough that no
foreign words are found in it.  Once others had the chance to advise the agent, a lesson is its own only if it says what the
agent did, or what the person said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...indexing.text.statements import is_negated
from ...indexing.tokenizer import guess_language, name_spans, terms
from ..dialogue import DialogueLine, Role
from ..rules.aspects import is_generic

FROM_ONE_SOURCE = 1 / 3  # share of the words of an advice that makes it the advice of who said them first
MOST_STATUS = 2  # words that others bring in without advising anything: "ok", "port in use"
OWN = 0.5  # share of the words of an advice for which the agent must account
# A number, an address or a path.
_EXACT = re.compile(r"(?<![^\s,;()\"'<>])[^\s,;()\"'<>@/\\\d_]*+[@/\\\d_][^\s,;()\"'<>]*+")
_WITHIN = re.compile(r"[\w,] $")  # before a word that does not begin a sentence
_JOINED = re.compile(r"_|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What was said and done in a task.

    ``lines``: in the order in which they were said, with what the agent recalled or had read before.
    ``deeds``: the tools that the agent called, with their arguments.  ``episode``: id of its record.  ``shared``: several
    people use the memory.
    """

    episode: str
    lines: Sequence[DialogueLine]
    deeds: Sequence[str] = ()
    succeeded: bool = True
    shared: bool = False

    def is_tools_advice(self, advice: str, *, when: str, title: str = "") -> bool:
        return self._has_words_of("tool", f"{title}. {when}. {advice}") or self._may_be_advice_of("tool", advice, besides=when)

    def is_persons_advice(self, advice: str, *, when: str) -> bool:
        """Whether it is advice of a person that would take effect for others, who share the memory or the conversation."""
        if not self.shared and len({line.speaker for line in self.lines if line.role == "user"}) < 2:
            return False
        return self._has_words_of("user", advice, besides=when) or self._may_be_advice_of("user", advice, besides=when)

    def _has_words_of(self, role: Role, text: str, *, besides: str = "") -> bool:
        """Whether a third of the words of a text belong to a role, or a number, an address, a path or a name of it does.

        A word belongs to the line that said it first, even where others repeat it.  ``besides``: text whose words do not count.
        """
        first, language = self._first_roles(text)
        wanted = _terms(text, language) - _terms(besides, language)
        if wanted and sum(first.get(term) == role for term in wanted) >= FROM_ONE_SOURCE * len(wanted):
            return True
        return any(_first_role(token, self.lines) == role for token in _exact(text) if token not in besides.casefold())

    def _may_be_advice_of(self, role: Role, advice: str, *, besides: str) -> bool:
        """Whether a role said enough to advise something, and neither deeds nor the words of a person account for the advice.

        They account for it if half of its words are theirs.  ``besides``: when the advice applies.
        """
        first, language = self._first_roles(advice)
        if sum(each == role for each in first.values()) <= MOST_STATUS:
            return False
        # "Never do X" follows neither from a request for X nor from X that worked.
        denies = is_negated(advice) is not False
        asked = [] if role == "user" else [line.text for line in self.lines if line.role == "user"]
        told = [text for text in asked if not denies or is_negated(text) is not False]
        done = self.deeds if not denies or not self.succeeded else ()
        own = {term for text in (*told, *done) for term in _terms(text, language) if first.get(term) != role}
        telling = {term for term in _terms(advice, language) - _terms(besides, language) if not is_generic(term)}
        return not telling or len(telling & own) < OWN * len(telling)

    def _first_roles(self, text: str) -> tuple[dict[str, Role], str]:
        """The role that said each word first, and the language in which the words of lines and text are compared."""
        language = guess_language(" ".join([text, *(line.text for line in self.lines)])[:2000]) or "en"
        first: dict[str, Role] = {}
        for line in self.lines:
            for term in _terms(line.text, language):
                first.setdefault(term, line.role)
        return first, language


def _terms(text: str, language: str) -> set[str]:
    """The words of a text.  Those of ``search_archive`` and ``searchArchive`` count one by one."""
    return set(terms(_JOINED.sub(" ", text), language))


def _exact(advice: str) -> set[str]:
    """The numbers, addresses, paths and names of an advice, in lower case."""
    found = {token.strip(".:").casefold() for token in _EXACT.findall(advice)}
    found |= {name for name, start, _ in name_spans(advice) if _WITHIN.search(advice[max(0, start - 2) : start])}
    return found - {""}


def _first_role(token: str, lines: Sequence[DialogueLine]) -> Role | None:
    """The role of the first line with the token (in lower case) as a whole."""
    pattern = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)")
    return next((line.role for line in lines if pattern.search(line.text.casefold())), None)
