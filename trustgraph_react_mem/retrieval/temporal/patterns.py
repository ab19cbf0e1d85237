"""The patterns that split a text into dates, words, figures and marks.  All of them are linear."""

import re

_DATE = (
    r"(?:19|20)\d\d-\d\d?-\d\d?|(?:19|20)\d\d-(?:0[1-9]|1[0-2])|(?:19|20)\d\d[/.]\d\d?[/.]\d\d?"
    r"|\d\d?[/.]\d\d?[/.](?:\d{4}|\d\d)|\d\d?\.\d\d?\."
)
_WORD = r"[^\W\d_][^\W_]*|\d{1,9}[^\W\d_][^\W_]*"
_FIGURES = r"\d+(?:[.,:/]\d+)+|\d+\.(?=\s?[^\W\d_])|\d+"
_HAN = r"[一二三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九]"


def _match_date(letters: str) -> str:
    """A date that is not a part of a longer number, such as a version or an address.  ``letters``: that it cannot touch."""
    return rf"(?<![{letters}.,/:-])(?P<date>{_DATE})(?![{letters}/:]|[.,-]\d)"


SPACED = re.compile(rf"{_match_date(chr(92) + 'w')}|(?P<word>{_WORD})|(?P<figures>{_FIGURES})|(?P<mark>[^\w\s])")


def spaceless(phrases: list[str]) -> re.Pattern[str]:
    """For a language without spaces.  ``phrases``: those with a meaning, longest first."""
    known = "|".join(map(re.escape, phrases))
    return re.compile(
        rf"{_match_date('0-9A-Za-z')}|(?P<phrase>{known})|(?P<figures>\d+(?:[.,:/]\d+)*)|(?P<han>{_HAN})|(?P<other>[^\s\d])"
    )
