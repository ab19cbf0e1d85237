"""Count the tokens of a text.

The vocabulary is that of Qwen 2.5 (Apache-2.0), the local model, so the count is exact for it; ``MARGIN`` is added, because a
prompt that is too long is refused.  Tokenizers of other models with 100,000 entries or more differ by some percent in prose.
A text is counted as it stands in a prompt, composed (Unicode NFC).  Qwen's tokenizer composes it, too; others take it as it is.
Source: byte-pair encoding with the splitting pattern that Qwen publishes with its tokenizer.
"""

import functools
import lzma
import re
import unicodedata
from importlib import resources

MARGIN = 0.03
SHORTENED = " … "
_MOST_CHARACTERS = 12  # of a token on average: bounds the work on a long text
# Characters; longer pieces are encoded in parts, which adds at most a token for each.
_LONGEST_WORD, _LONGEST_RUN = 32, 128  # a line of "-" or spaces has tokens of up to 128 characters
_NEVER = 1 << 30
_SHORT_PIECE = 4
_CJK, _LAST = "\u2e80", "\uffff"  # letters above it are styled ones and rare scripts, which merges cross
_LATE_HANGUL, _HANGUL_ENDS = "\ud000", "\ud7ff"  # merges cross some of them, too
#: Numbers that are no digits, such as "²" and "Ⅳ": each is a piece of its own.
_NUMBERS = (
    "\u00b2-\u00b3\u00b9\u00bc-\u00be\u09f4-\u09f9\u0b72-\u0b77\u0bf0-\u0bf2\u0c78-\u0c7e\u0d58-\u0d5e\u0d70-\u0d78"
    "\u0f2a-\u0f33\u1369-\u137c\u16ee-\u16f0\u17f0-\u17f9\u19da\u2070\u2074-\u2079\u2080-\u2089\u2150-\u2182"
    "\u2185-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u2cfd\u3007\u3021-\u3029\u3038-\u303a\u3192-\u3195"
    "\u3220-\u3229\u3248-\u324f\u3251-\u325f\u3280-\u3289\u32b1-\u32bf\ua6e6-\ua6ef\ua830-\ua835\U00010107-\U00010133"
    "\U00010140-\U00010178\U0001018a-\U0001018b\U000102e1-\U000102fb\U00010320-\U00010323\U00010341\U0001034a"
    "\U000103d1-\U000103d5\U00010858-\U0001085f\U00010879-\U0001087f\U000108a7-\U000108af\U000108fb-\U000108ff"
    "\U00010916-\U0001091b\U000109bc-\U000109bd\U000109c0-\U000109cf\U000109d2-\U000109ff\U00010a40-\U00010a48"
    "\U00010a7d-\U00010a7e\U00010a9d-\U00010a9f\U00010aeb-\U00010aef\U00010b58-\U00010b5f\U00010b78-\U00010b7f"
    "\U00010ba9-\U00010baf\U00010cfa-\U00010cff\U00010e60-\U00010e7e\U00010f1d-\U00010f26\U00010f51-\U00010f54"
    "\U00010fc5-\U00010fcb\U00011052-\U00011065\U000111e1-\U000111f4\U0001173a-\U0001173b\U000118ea-\U000118f2"
    "\U00011c5a-\U00011c6c\U00011fc0-\U00011fd4\U00012400-\U0001246e\U00016b5b-\U00016b61\U00016e80-\U00016e96"
    "\U0001d2e0-\U0001d2f3\U0001d360-\U0001d378\U0001e8c7-\U0001e8cf\U0001ec71-\U0001ecab\U0001ecad-\U0001ecaf"
    "\U0001ecb1-\U0001ecb4\U0001ed01-\U0001ed2d\U0001ed2f-\U0001ed3d\U0001f100-\U0001f10c"
)
_PIECES = re.compile(
    r"'(?i:s|t|re|ve|m|ll|d)"
    rf"|(?:[^\r\n\w]|_)?[^\W\d_{_NUMBERS}]+"
    rf"|[\d{_NUMBERS}]"
    r"| ?(?:[^\s\w]|_)+[\r\n]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"|\s+"
)


def count_tokens(text: str) -> int:
    """Number of tokens of ``text``, up to 3 % more than the local model counts and never fewer.  Linear in its length."""
    total = 0
    for piece in _PIECES.findall(unicodedata.normalize("NFC", text)):
        most = _LONGEST_WORD if piece[-1].isalpha() else _LONGEST_RUN
        if len(piece) <= most:
            total += _count(piece)
        else:
            total += sum(_count(piece[start : start + most]) for start in range(0, len(piece), most))
    return int(total * (1 + MARGIN) + 0.5)


def cut_to_tokens(text: str, tokens: int) -> str:
    """The beginning and end of ``text``, at most ``tokens`` tokens in total."""
    if tokens <= 0:
        return ""
    size = tokens * _MOST_CHARACTERS
    if len(text) <= size and count_tokens(text) <= tokens:
        return text
    low, high = 0, min(len(text), size)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(shorten(text, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    return shorten(text, low)


def shorten(text: str, characters: int) -> str:
    """The beginning and end of ``text``, at most ``characters`` characters in total."""
    if len(text) <= characters:
        return text
    if characters < len(SHORTENED) + 2:
        return text[:characters]
    head = (characters - len(SHORTENED)) * 2 // 3
    tail = characters - len(SHORTENED) - head
    return text[:head] + SHORTENED + text[len(text) - tail :]


@functools.cache
def _ranks() -> dict[bytes, int]:
    """Each token with its rank: pairs of lower rank are merged first."""
    data = lzma.decompress((resources.files(__package__) / "vocabulary.xz").read_bytes())
    size, start = int.from_bytes(data[:4], "little"), 4
    ranks = {}
    at = start + size
    for rank, length in enumerate(data[start:at]):
        ranks[data[at : at + length]] = rank
        at += length
    return ranks


@functools.lru_cache(maxsize=4096)
def _count(piece: str) -> int:
    ranks = _ranks()
    if piece.encode("utf-8", "surrogatepass") in ranks:
        return 1
    parts: list[bytes] = []
    long = len(piece) > _SHORT_PIECE  # then a CJK letter stays whole: nearly no merge crosses its bounds
    spaced = piece[0].isspace()  # the space may be merged with a part of the letter after it
    for place, letter in enumerate(piece):
        encoded = letter.encode("utf-8", "surrogatepass")
        whole = (
            long
            and not (spaced and place == 1)
            and (_CJK <= letter < _LATE_HANGUL or _HANGUL_ENDS < letter <= _LAST)
            and letter.isalpha()
            and encoded in ranks
        )
        parts += [encoded] if whole else [bytes((byte,)) for byte in encoded]
    merged = [ranks.get(parts[at] + parts[at + 1], _NEVER) for at in range(len(parts) - 1)]
    while merged and (least := min(merged)) < _NEVER:
        at = merged.index(least)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del merged[at]
        if at < len(merged):
            merged[at] = ranks.get(parts[at] + parts[at + 1], _NEVER)
        if at:
            merged[at - 1] = ranks.get(parts[at - 1] + parts[at], _NEVER)
    return len(parts)
