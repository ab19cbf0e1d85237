"""Count the tokens of a text: with the model's own tokenizer where it is in this process, else by an estimate.

The estimate is made for byte-pair tokenizers of about 150,000 entries (Qwen, Llama 3, GPT-4o), measured with Qwen 2.5.
It errs upwards, because a prompt that is too long is refused.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

Count = Callable[[str], int]

# The alternatives follow the word splitting of these tokenizers.  One space belongs to the word after it, digits stand alone.
_PIECES = re.compile(
    r"(?P<data>[A-Za-z0-9+]{24,})"
    r"|(?P<hangul>[가-힯]+)"
    r"|(?P<dense>[぀-ヿ㐀-鿿豈-﫿฀-๿]+)"
    r"|(?P<joined>[._(/?&](?=[^\W\d_]))"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<digits>\s?\d+)"
    r"|(?P<lines>[^\S\n]*\n+)"
    r"|(?P<space>[^\S\n]{2,}|\t)"
    r"|(?P<rule>([-=_*.~#])\8{3,})"
    r"|(?P<mark>[!-/:-@\[-`{-~]+)"
    r"|(?P<other>[^\s\w])"
)
_CASE_CHANGE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# Frequent words of languages written in Latin letters: their words are split into more pieces than English ones.
_FOREIGN_WORDS = """
der die das und ist nicht ich mit auf ein eine den dem zu von für wir sie er es im le la les et est pas je une des du que
qui pour dans sur avec au el los las en un por con para una del se no lo il di che per non è sono gli della o os as um
uma não com mais het de een van ik niet dat zijn op te voor jag och är inte att på det som med ve bir bu da için nie jest
się na do że w z i"""
_ENGLISH_WORDS = """
the a an of to and is are was i you he she it in on at for with my your his her that this have has had not did be will
would can we they but or so what when where who how from by about"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
SHORTENED = " … "
_MOST_CHARACTERS = 12  # of a token on average: bounds the work on a long text
_RARE_LETTERS = frozenset("ąęłńśźżćčřěůőűğışățđåø")  # of languages that these tokenizers split most
_SAMPLE = 400  # words that decide whether a text is English
_UKRAINIAN = frozenset("іїєґўјљњћџ")  # Cyrillic letters of languages other than Russian
_LEAST_WORDS = 6  # of a text whose language is judged by what it lacks
_PROSE_SIGNS = re.compile(r"[^\w\s,.!?;:'’\"-]|\d|_")
_ENGLISH_SHARE = 0.06  # of the words of English prose, at least, are in _ENGLISH
_FOREIGN_SHARE = 0.1  # the same of _FOREIGN
_GREEK, _CYRILLIC, _LATIN_EXTENDED = range(0x370, 0x400), range(0x400, 0x530), range(0x1E00, 0x1F00)
_INDIC = 0x900

_tokenizer: Count | None = None


def use_tokenizer(count: Count | None) -> None:
    """Count with ``count`` from now on, in the whole process.  None: estimate."""
    global _tokenizer
    _tokenizer = count


def count_tokens(text: str) -> int:
    """Number of tokens of ``text``: exact with a tokenizer, else ``estimate_tokens``."""
    return _tokenizer(text) if _tokenizer else estimate_tokens(text)


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


def estimate_tokens(text: str) -> int:
    """Estimated tokens.  Linear in the length of the text.

    Right within about 10 % above for prose, dialogues, JSON, tables, code, numbers and CJK text of some hundred
    characters (``tests/unit/test_tokens.py``).  Short texts and rare scripts are overestimated further.
    """
    total, size = 0.0, len(text)
    costs = _word_costs(text)
    for match in _PIECES.finditer(text):
        piece = match.group()
        match match.lastgroup:
            case "word":
                total += _word(piece, costs)
            case "digits":
                total += len(piece)
            case "joined":
                total += 0.55
            case "rule":
                total += 1 + len(piece) / 16
            case "mark":
                total += 1 + max(0, len(piece) - 2) * 0.5
            case "dense":
                total += 0.6 * len(piece)
            case "hangul":
                total += 0.81 * len(piece)
            case "space":  # the last space joins a following word, but not a following number
                total += 2 if match.end() < size and text[match.end()].isdigit() else 1
            case "data":
                total += _data(piece, costs)
            case _:
                total += 1 if piece.isspace() or ord(piece) < 0x900 or 0x2000 <= ord(piece) < 0x2E80 else 1.7
    return int(total * 1.03 + 0.999)


class _Costs(NamedTuple):
    """Tokens of a word in Latin letters by its length, and of a letter in words with accents and in Cyrillic words."""

    by_length: Callable[[int], float]
    accented: float = 0.39
    cyrillic: float = 0.39


def _word_costs(text: str) -> _Costs:
    """The costs of the language that a text seems to have."""
    sample = text[: 8 * _SAMPLE]
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", sample)[:_SAMPLE]]
    cyrillic = 0.58 if any(not _UKRAINIAN.isdisjoint(word) for word in words) else 0.39
    accented = [word for word in words if not word.isascii()]
    foreign, english = sum(word in _FOREIGN for word in words), sum(word in _ENGLISH for word in words)
    if foreign <= english and (len(accented) <= len(words) * 0.08 or len(accented) <= english):
        unknown = len(words) >= _LEAST_WORDS and english < _ENGLISH_SHARE * len(words)
        if not unknown or len(_PROSE_SIGNS.findall(sample)) > 0.02 * len(sample):
            return _Costs(_english_word, cyrillic=cyrillic)
    elif not _RARE_LETTERS.isdisjoint("".join(accented)):
        return _Costs(_rare_word, 0.51, cyrillic)
    elif foreign >= _FOREIGN_SHARE * len(words):
        return _Costs(_foreign_word, cyrillic=cyrillic)
    return _Costs(_rare_word, 0.48, cyrillic)


def _english_word(size: int) -> float:
    return 1.0 if size <= 4 else 1.05 if size <= 7 else 1.12 if size <= 11 else 1.15 + (size - 11) * 0.25


def _foreign_word(size: int) -> float:
    return 1.04 if size <= 3 else 0.34 * size - 0.06


def _rare_word(size: int) -> float:
    return 1.1 if size <= 3 else 0.43 * size


def _word(word: str, costs: _Costs) -> float:
    size, by_length = len(word), costs.by_length
    if word.isascii():
        if size > 3 and word[1:] != word[1:].lower():
            parts = _CASE_CHANGE.findall(word)
            return sum(by_length(len(part)) if not part.isupper() or len(part) < 4 else 0.32 * len(part) for part in parts)
        return by_length(size)
    letter = max(ord(letter) for letter in word[:4])
    if letter < _GREEK.start or letter in _LATIN_EXTENDED:
        return max(1.1, costs.accented * size)
    if letter in _GREEK:
        return float(size)
    if letter in _CYRILLIC:
        return max(1.15, costs.cyrillic * size)
    return max(1.1, 0.46 * size) if letter < _INDIC else float(size) * 1.25


def _data(run: str, costs: _Costs) -> float:
    """A long run without spaces: a word, an identifier, or data such as base64 and hexadecimal digits."""
    if run.isalpha() and len(_CASE_CHANGE.findall(run)) * 3 <= len(run):
        return _word(run, costs)
    digits = sum(letter.isdigit() for letter in run)
    return (0.9 if digits * 2 > len(run) else 0.78) * len(run) if digits else 0.74 * len(run)
