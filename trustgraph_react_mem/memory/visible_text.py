"""A text as a reader sees it, for matching: compatibility forms folded, invisible characters removed."""

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VisibleText:
    """``text`` is folded.  ``offsets[i]`` is the place of its character ``i`` in the original, None if nothing changed."""

    text: str
    offsets: tuple[int, ...] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that ``text[start:end]`` stands for."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1 if end > start else self.offsets[start]


def visible(text: str) -> VisibleText:
    """Full-width letters become plain ones (NFKC), zero-width and other format characters go.

    >>> visible("ｐａｓｓ\\u200bword").text
    'password'
    """
    if text.isascii():
        return VisibleText(text, None)
    folded: list[str] = []
    offsets: list[int] = []
    for place, letter in enumerate(text):
        if letter.isascii():
            folded.append(letter)
            offsets.append(place)
        elif unicodedata.category(letter) != "Cf":
            for part in unicodedata.normalize("NFKC", letter):
                folded.append(part)
                offsets.append(place)
    return VisibleText("".join(folded), tuple(offsets))
