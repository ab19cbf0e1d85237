"""A text as a reader sees it, for matching: compatibility forms folded, invisible characters removed."""

import re
import unicodedata
from dataclasses import dataclass

# Letters of other scripts that look like Latin ones.  They are folded in words that mix both.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅοανρικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhqwABEKMHOPCTXIJSoavpiktABEZHIKMNOPTYX"
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class VisibleText:
    """``text`` is folded.  ``offsets[i]`` is the place of its character ``i`` in the original, and the last one the
    original's length.  None if nothing changed.
    """

    text: str
    offsets: tuple[int, ...] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that ``text[start:end]`` stands for."""
        if self.offsets is None:
            return start, end
        first = self.offsets[start]
        return (first, max(self.offsets[end], self.offsets[end - 1] + 1)) if end > start else (first, first)


def visible(text: str) -> VisibleText:
    """Full-width letters become plain ones (NFKC), zero-width and other format characters go, accents join their letters.

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
            if folded and unicodedata.combining(letter):
                joined = unicodedata.normalize("NFC", folded[-1] + letter)
                if len(joined) == 1:
                    folded[-1] = joined
                    continue
            for part in unicodedata.normalize("NFKC", letter):
                folded.append(part)
                offsets.append(place)
    return VisibleText(_WORD.sub(_fold_lookalikes, "".join(folded)), (*offsets, len(text)))


def _fold_lookalikes(word: re.Match[str]) -> str:
    """The word in Latin letters, if it mixes them with letters that look like them."""
    written = word.group()
    if written.isascii() or not any(letter.isascii() for letter in written):
        return written
    plain = written.translate(_LOOKALIKES)
    return plain if plain.isascii() else written
