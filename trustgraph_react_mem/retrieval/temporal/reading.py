"""A cursor over the words of a text, and the rules that decide whether an ambiguous word is a time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...indexing.function_words import FUNCTION_WORDS
from .lexicon import Lexicon
from .ranges import Local
from .words import Word

# "Of" stands before names as well ("the house of April"), so it does not make a word a time.
_OF = frozenset({"of", "de", "del", "di", "du", "d", "von", "van", "to", "from"})
_CURRENCY = frozenset("$€£¥%°₽")


@dataclass(frozen=True, slots=True)
class Clock:
    """The asker's present, as local times.

    ``latest``: the latest time that a month or day without a year can mean.  ``future``: the question is about the future.
    """

    now: datetime
    latest: datetime
    future: bool = False


#: Makes the range of an expression, for a year from elsewhere in the text if there is one.
Make = Callable[[int | None], Local | None]


@dataclass(frozen=True, slots=True)
class Expression:
    """A time expression.  ``needs_year``: it takes its year from the context.  ``year``: it names only this year."""

    make: Make
    needs_year: bool = False
    year: int | None = None

    def with_range(self, change: Callable[[Local], Local]) -> "Expression":
        """An expression whose range follows from this one's.  An empty range is none."""

        def make(year: int | None) -> Local | None:
            span = self.make(year)
            changed = change(span) if span is not None else None
            return changed if changed is not None and changed[0] < changed[1] else None

        return Expression(make, self.needs_year)

    @property
    def local(self) -> Local | None:
        return self.make(None)


#: An expression and the position after it.
Found = tuple[Expression, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """Words of a text.  ``sure``: the position is within a range ("between ... and"), where only times stand."""

    words: list[Word]
    lexicon: Lexicon
    clock: Clock

    @property
    def function_words(self) -> frozenset[str]:
        return FUNCTION_WORDS.get(self.lexicon.code, frozenset())

    def at(self, place: int, kind: str) -> Any:
        """The meaning of a kind at a place, or None."""
        return self.words[place].meanings.get(kind) if 0 <= place < len(self.words) else None

    def text(self, place: int) -> str:
        return self.words[place].folded if 0 <= place < len(self.words) else ""

    def skip(self, place: int) -> int:
        """The place after at most three filling words."""
        for _ in range(3):
            if self.at(place, "fill") is None:
                break
            place += 1
        return place

    def find(self, place: int, kind: str) -> int:
        """The place of a word of a kind, with at most three filling words before it; else the place after the filling words.

        A word may fill and have the kind, such as "mois" in "deux mois" and in "au mois de mars".
        """
        for _ in range(3):
            if self.at(place, kind) is not None or self.at(place, "fill") is None:
                break
            place += 1
        return place

    def is_before_last(self, place: int) -> bool:
        """Whether "before last" ends an expression here, as in "the Friday before last"."""
        ends = place + 2 >= len(self.words) or not self.words[place + 2].raw[0].isalnum()
        return self.text(place) == "before" and self.text(place + 1) == "last" and ends

    def is_title(self, place: int) -> bool:
        """Whether a word is a part of a name: two capitalised words in a language that has no capitals for its nouns."""
        first, word = self.words[place - 1] if place else None, self.words[place]
        return first is not None and word.raw[0].isupper() and first.raw[0].isupper() and self.lexicon.code != "de"

    def is_in_title(self, first: int, after: int) -> bool:
        """Whether an expression is a part of a title or a name, by its capitals: "Ruby Tuesday", "Friday Night Lights".

        Titles have capitals where sentences have none: at prepositions and at words such as "yesterday".
        """
        if self.lexicon.runs is not None or not any(word.raw[0].islower() for word in self.words):
            return False
        if any(self._has_title_case(place) for place in range(max(0, first - 1), after)):
            return True
        last = self.words[after - 1]
        if self._adjoins(after) and self.text(after) == "." and self._adjoins(after + 1):  # "monday.com"
            return True
        if self.lexicon.code == "de" or not last.raw[0].isupper():
            return False
        if "part" in last.meanings:
            return self._is_capital_noun(after)
        return after == first + 1 and first > 1 and self._is_capital_noun(first - 1) and not self._begins_sentence(first - 1)

    def _has_title_case(self, place: int) -> bool:
        """Whether a small word that is not the first one of a sentence has a capital."""
        word = self.words[place]
        small = ("day" in word.meanings and "part" not in word.meanings) or (
            word.folded in self.function_words and word.folded not in _ADDRESSES
        )
        return (
            small
            and len(word.raw) > 1
            and word.raw[0].isupper()
            and word.raw[1:].islower()
            and not self._begins_sentence(place)
        )

    def _is_capital_noun(self, place: int) -> bool:
        word = self.words[place] if place < len(self.words) else None
        return word is not None and word.raw[0].isupper() and not word.meanings and word.folded not in self.function_words

    def _begins_sentence(self, place: int) -> bool:
        return place == 0 or not self.words[place - 1].raw[0].isalnum()

    def _adjoins(self, place: int) -> bool:
        """Whether no space stands before the word at a place."""
        return 0 < place < len(self.words) and self.words[place].start == self.words[place - 1].end

    def joins(self, place: int) -> bool:
        """Whether "to" or a dash stands at a place."""
        return self.at(place, "to") is not None or self.text(place) == "-"

    def is_last(self, place: int) -> bool:
        """Whether only marks follow."""
        return all(not word.raw[0].isalnum() for word in self.words[place : place + 3]) and place + 3 > len(self.words) - 1

    def preceded_by(self, place: int, kind: str) -> bool:
        """Whether a word of a kind stands before the place, with articles between."""
        for back in range(place - 1, max(-1, place - 4), -1):
            if self.at(back, kind) is not None:
                return True
            if self.at(back, "fill") is None:
                return False
        return False

    def is_habit(self, place: int) -> bool:
        return self.preceded_by(place, "every")

    def is_time_of_year(self, place: int, after: int) -> bool:
        """Whether a holiday or season at ``place`` is the time and not a name or a thing ("the Christmas tree")."""
        if self.lexicon.runs is not None:
            return True
        if not self.preceded_by(place, "on") or self.text(place - 1) in _OF:
            return False
        follower = self.words[after] if after < len(self.words) else None
        return follower is None or not follower.raw[0].isalpha() or self.follows_time(after)

    def follows_time(self, place: int) -> bool:
        """Whether the word at ``place`` may follow a time: no noun that the word before it describes or counts."""
        if place >= len(self.words):
            return True
        word = self.words[place]
        if word.folded in _CURRENCY or word.folded in self.lexicon.counted:
            return False
        if not word.raw[0].isalnum():
            return not (word.folded == "'" and self.text(place + 1) == "s")
        if word.folded in self.function_words or ("unit" not in word.meanings and word.meanings):
            return True
        return self.lexicon.code != "en" or word.raw[0].isupper()

    def is_name(self, place: int) -> bool:
        """Whether a month within the sentence is written like a name, where months begin with a small letter."""
        return self.lexicon.code not in ("en", "de") and place > 0 and self.words[place].raw[0].isupper()

    def means_month(self, place: int, after: int) -> bool:
        """Whether a month without a day or year at ``place`` is one, and not a name or a verb."""
        word = self.words[place]
        if self.lexicon.runs is not None:
            return True
        follower = self.words[after] if after < len(self.words) else None
        if follower is not None and (follower.folded in ("'", "-") or "unit" in follower.meanings):
            return False
        if self.text(place - 1) in self.lexicon.not_a_weekday:
            return False
        if self.is_name(place):
            return False
        if word.folded not in self.lexicon.careful_months:
            return follower is None or not follower.raw[0].isupper() or follower.folded in self.function_words
        if self.lexicon.code not in ("en", "de") and word.raw[0].isupper():
            return False
        if self.at(place - 1, "month_before") is None:
            return False
        if self.lexicon.code == "en" and word.raw[0].islower() and self.text(place - 2) in ("the", "a"):
            return False
        if self.text(place - 1) in ("since", "until", "before", "after", "till") and follower is not None:
            return not follower.raw[0].isalpha() or follower.folded in self.function_words - _VERBS
        return self.follows_time(after)

    def means_weekday(self, place: int, after: int) -> bool:
        """Whether a weekday without "last" or "next" is the day, and not a name."""
        if self.is_habit(place) or self.at(after, "every") is not None:
            return False
        if self.lexicon.runs is not None or "own_part" in self.words[place].meanings:
            return True
        before, word = self.text(place - 1), self.words[place]
        if (
            before in self.lexicon.not_a_weekday
            or before in self.lexicon.habit_before
            or (self.lexicon.code not in ("en", "de") and word.raw[0].isupper())
        ):
            return False
        if self.preceded_by(place, "on"):
            return before not in _OF
        if self.at(after, "part") is not None or before in self.lexicon.bare_year_after:
            return True
        return place > 0 and self.is_last(after) and self.words[place - 1].raw[0].isalpha()

    def means_year(self, place: int) -> bool:
        """Whether a number from 1900 to 2099 at ``place`` is a year and not a count, a room or an amount."""
        before = self.text(place - 1)
        if before in self.lexicon.not_counted_years or before in _CURRENCY:
            return False
        if self.text(place + 1) in self.lexicon.year_nouns:
            return True
        if self.text(place + 1) == ":" and before in _OF:  # "my copy of 2001: A Space Odyssey"
            return False
        figure = self.words[place].figure or 0
        if self.at(place - 1, "and") and place > 1 and 1900 <= (self.words[place - 2].figure or 0) <= 2099:
            return self.means_year(place - 2)  # "in 2023 and 2024"
        if before in self.lexicon.bare_year_after and self._is_free(place + 1):
            return True
        if self.at(place - 1, "year_before") is None or not self.follows_time(place + 1):
            return False
        follower = self.text(place + 1)
        return figure % 100 != 0 or not follower.isalpha() or follower in self.function_words

    def _is_free(self, place: int) -> bool:
        """Whether no noun stands at ``place`` that a number before it could count."""
        if place >= len(self.words):
            return True
        word = self.words[place]
        return not word.raw[0].isupper() and word.folded not in self.lexicon.counted | _CURRENCY and "unit" not in word.meanings


_ADDRESSES = frozenset({"i", "sie", "ihr", "ihre", "ihrem", "ihren", "ihrer", "ihnen", "u", "uw"})  # capitals of their own
_VERBS = frozenset({"is", "was", "has", "had", "will", "did", "does", "can", "could", "would", "should"})


def find_year(reading: Reading, place: int) -> tuple[int | None, int]:
    """The year at a place, also after "of" or in brackets, and the place after it."""
    after = reading.skip(place)
    if after < len(reading.words):
        figure = reading.words[after].figure
        if figure is not None and 1900 <= figure <= 2099 and reading.text(after + 1) not in reading.lexicon.counted:
            return figure, after + 1
    return None, place
