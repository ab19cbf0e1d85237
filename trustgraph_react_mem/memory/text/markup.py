"""Elements that programs put around parts of a message, such as ``<task>...</task>``.

The work is linear in the length of the text, also if elements are opened and never closed, since anybody can send that.
"""

import re
from collections.abc import Iterator


def opening(names: str) -> re.Pattern[str]:
    """What begins an element.  ``names``: alternatives of a regular expression without quantifiers over ``<`` and ``>``."""
    return re.compile(rf"<(?P<tag>{names})(?:\s[^<>]{{0,400}})?>", re.IGNORECASE)


def contents(text: str, begins: re.Pattern[str]) -> list[str]:
    """The contents of the elements, without those inside others.

    >>> contents("<task>mend it</task> <task>", opening("task"))
    ['mend it']
    """
    return [text[inner_begin:inner_end] for _, inner_begin, inner_end, _ in _elements(text, begins)]


def without(text: str, begins: re.Pattern[str], instead: str = "") -> str:
    """The text with ``instead`` in place of each element.

    >>> without("<rules>be kind</rules>Hello", opening("rules"))
    'Hello'
    """
    kept, at = list[str](), 0
    for begin, _, _, end in _elements(text, begins):
        kept.append(text[at:begin])
        at = end
    return instead.join([*kept, text[at:]])


def _elements(text: str, begins: re.Pattern[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where each element begins, its content begins and ends, and the element ends."""
    at, never_closed = 0, set[str]()
    while found := begins.search(text, at):
        tag, at = found["tag"].lower(), found.end()
        if tag in never_closed:
            continue
        end = re.compile(f"</{re.escape(tag)}>", re.IGNORECASE).search(text, at)
        if end is None:
            never_closed.add(tag)
            continue
        yield found.start(), found.end(), end.start(), end.end()
        at = end.end()
