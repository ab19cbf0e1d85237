"""Secrets whose form alone shows what they are: tokens of known services, keys, hashes of passwords, seed phrases, URLs,
and secrets in command lines."""

import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import resources

from .patterns import patterns_of
from .values import FOR_WORDS, ORDINARY, PLACEHOLDER

_COMMANDS = tuple(patterns_of("commands").values())
_PLAIN = patterns_of("formats")
_FORMATS = patterns_of("checked_formats")["named"]
_JSON_KEY = re.compile(r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s{0,3}:\s{0,3}[\"']([\w-]{20,}+)")
_BYTES = re.compile(r"\[(?:\s{0,2}\d{1,3}\s{0,2},){31,127}\s{0,2}\d{1,3}\s{0,2}\]")
_OF_BYTES = re.compile(r"(?i)key|secret|wallet|id\.json|seed|solana")
_DISK_KEY = re.compile(r"(?<![\d-])\d{6}(?:[- ]\d{6}){7}(?![\d-])")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{1,40}-{4,5}")
_ENCODED_PEM = re.compile(r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}+={0,2}")  # base64 of "-----BEGIN "
_LOGIN_FIELD = re.compile(r"(?i)[\"']_?auth[\"']\s{0,3}:\s{0,3}[\"']([A-Za-z0-9+/]{8,}+={0,2})[\"']")  # of Docker and npm
_WIF = re.compile(r"(?<![1-9A-HJ-NP-Za-km-z])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])")
_DENSE_GROUPS = frozenset({"cookie", "query", "keyed"})  # their names occur with ordinary values, too
_BESIDE = re.compile(r"^(?:[<\[{%*].*|\$[A-Z_({].*|\.\.\..*|[xX]{3,}|string)$")  # stands for a value
_WORD_RUN = re.compile(
    r"(?<![^\W\d_])(?:\d{1,2}[.):]\s{0,2})?[A-Za-z]{3,8}(?:[ ,;\n\t.-]{1,3}(?:\d{1,2}[.):]\s{0,2})?[A-Za-z]{3,8}){11,}+"
)
# Words that are not in the list, after a word that says what they are.
_TOLD_WORDS = re.compile(
    r"(?i)(?:\bseed|mnemonic|phrase|\b(?:12|15|18|21|24) words)s?[\"']?\s{0,2}[:=]\s{0,3}[\"']?"
    r"([^\W\d_]{1,12}(?:[ ,\u3000]{1,2}[^\W\d_]{1,12}){11,}+)"
)
_WORD = re.compile(r"[A-Za-z]{3,8}")
SEED_WORDS = 12  # in the shortest seed phrase
DISTINCT_WORDS = 7  # "word word word ..." is none


def find_formats(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets of known form in a visible text, in no particular order, perhaps overlapping."""
    end = 0  # of the last private key
    for match in _FORMATS.finditer(text):
        group = match.lastgroup or "token"
        if group == "block":
            end = _end_of_block(text, match.end()) if match.start() >= end else end
            yield match.start(), end
        elif group == "basic" and not _is_login(match[group]):
            continue
        elif not _BESIDE.match(match[group]) and (group not in _DENSE_GROUPS or _is_generated(match[group])):
            yield match.span(group)
    for pattern in _PLAIN.values():
        yield from (match.span(match.lastindex or 0) for match in pattern.finditer(text))
    yield from _pieces_of_keys(text)
    yield from (match.span(1) for match in _LOGIN_FIELD.finditer(text) if _is_login(match[1]))
    yield from (match.span() for match in _WIF.finditer(text) if any(letter.isdigit() for letter in match.group()[1:]))
    yield from _checked_keys(text)
    yield from _seed_phrases(text)


def find_in_commands(text: str) -> Iterator[tuple[int, int]]:
    """Spans of secrets in command lines and in code in a visible text, perhaps overlapping."""
    found = ((match, match.lastindex or 0) for pattern in _COMMANDS for match in pattern.finditer(text))
    yield from (match.span(group) for match, group in found if not PLACEHOLDER.match(match[group]))


def _is_generated(value: str) -> bool:
    digits = sum(letter.isdigit() for letter in value)
    return digits >= 2 and any(letter.isalpha() for letter in value) and not value.count("-") * 3 > len(value)


def _is_login(value: str) -> bool:
    """Whether it is a name and a password in base64, as in a header of HTTP."""
    try:
        return ":" in b64decode(value, validate=True).decode()
    except ValueError:
        return False


def _checked_keys(text: str) -> Iterator[tuple[int, int]]:
    """Keys in the forms of JSON, of wallets and of encrypted disks."""
    if '"kty"' in text or "'kty'" in text:
        yield from (match.span(1) for match in _JSON_KEY.finditer(text))
    wallets = (match for match in _BYTES.finditer(text) if _OF_BYTES.search(text, max(0, match.start() - 60), match.start()))
    yield from (match.span() for match in wallets)
    groups = ((match.span(), re.split("[- ]", match.group())) for match in _DISK_KEY.finditer(text))
    yield from (span for span, numbers in groups if all(int(number) % 11 == 0 for number in numbers))


def _pieces_of_keys(text: str) -> Iterator[tuple[int, int]]:
    """Private keys that are encoded once more, or whose beginning was cut off."""
    for match in _ENCODED_PEM.finditer(text):
        with suppress(ValueError):
            if b"PRIVATE KEY" in b64decode(match.group()[:80]):
                yield match.span()
    at = 0
    for match in _PEM_END.finditer(text):
        start = match.start()
        while start > at and (text[start - 1] in "+/=\\" or text[start - 1].isalnum() or text[start - 1] in "\r\n"):
            start -= 1
        if start < match.start():
            yield start, match.end()
        at = match.end()


def _seed_phrases(text: str) -> Iterator[tuple[int, int]]:
    """Runs of twelve and more words of the list that wallets draw from.  Source: BIP-0039, English words."""
    for told in _TOLD_WORDS.finditer(text):
        words = told[1].casefold().replace(",", " ").split()
        if sum(word in ORDINARY or word in FOR_WORDS for word in words) * 8 < len(words):
            yield told.span(1)
    for run in _WORD_RUN.finditer(text):
        known: list[re.Match[str]] = []
        for word in (*_WORD.finditer(text, run.start(), run.end()), None):
            if word is not None and word.group().lower() in seed_words():
                known.append(word)
                continue
            if len(known) >= SEED_WORDS and len({one.group().lower() for one in known}) >= DISTINCT_WORDS:
                yield known[0].start(), known[-1].end()
            known = []


@lru_cache(maxsize=1)
def seed_words() -> frozenset[str]:
    """The 2048 words.  Ordinary sentences do not hold twelve in a row: "the", "and", "is", "of" are not among them."""
    return frozenset((resources.files(__package__) / "seed_words.txt").read_text("ascii").split())


def _end_of_block(text: str, at: int) -> int:
    end = _BLOCK_END.search(text, at)
    return end.end() if end else len(text)
