"""Finds keys that no list of formats knows: long runs of characters that look drawn at random, beside words that fit or do not.

Ids, hashes, public keys and links look like that, too.  A word before a run says which it is.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2

_LEAST_CHANGES = 15 / 40  # a character, between upper case, lower case, digits and signs; a random key has 25 / 40
_LEAST_BITS = 4.2  # of entropy a character; a random key has 4.8
_RUN = re.compile(r"(?<![\w/+=.@%#~&?:$-])[A-Za-z0-9_+/-]{20,200}+={0,2}(?![\w/+=.@%-])")
_ALONE = 32  # characters that need no word beside them
_OF_A_KEY = re.compile(r"(?i)key|token|secret|passw|credential|\bauth|\bapi\b|bearer|webhook|hook\b")
_OF_SOMETHING_ELSE = re.compile(
    r"(?i)sha-?\d|\bmd5|hash|digest|checksum|integrity|fingerprint|commit|\brev(?:ision)?\b|branch|(?:\b|_)ids?\b|"
    r"(?-i:[a-z]I[Dd]\b)|uuid|guid|\bcid|ipfs|etag|address|block|transaction|\btx|public|ssh-|ecdsa|ed25519|certificate|"
    r"base64|\bdata:|image|png|jpe?g|cursor|\btrace|\bspan|request|video|document|folder|file|path|test[_ ]|class|nonce|"
    r"dataset|genome|sequence|order|tracking"
)
_HEX = re.compile(r"(?=[a-f]{0,32}\d)(?=\d{0,32}[a-f])(?:[0-9a-f]{30,40}|[0-9a-f]{48,64})")
_PREFIXED = re.compile(
    r"(?<![\w./=+-])(?!(?i:sha\d|md5))[A-Za-z][A-Za-z0-9]{1,11}(?:[_.-][A-Za-z0-9]{1,24}){0,2}[_.-]([A-Za-z0-9]{30,200}+)(?![\w-])"
)
_PREFIXED_HEX = re.compile(
    r"(?<![\w./=+-])(?!(?i:sha|md5|commit|rev|git|blob|tree|img|image|etag|trace|span|req|res|msg|run|hash|file|obj|v\d))"
    r"[A-Za-z][A-Za-z0-9]{1,11}(?:_[A-Za-z0-9]{1,24}){0,2}_[0-9a-f]{32,128}(?![\w.-])"
)


def find_random_runs(text: str) -> Iterator[tuple[int, int]]:
    """Spans of generated keys in a visible text, perhaps overlapping."""
    for match in _RUN.finditer(text):
        start, end = match.span()
        before = text[max(0, start - 60) : start].rpartition("\n")[2]
        around = before + " " + text[end : end + 30].partition("\n")[0]
        if _OF_SOMETHING_ELSE.search(around):
            continue
        beside = _OF_A_KEY.search(around)
        alone = max(len(part) for part in re.split(r"[_-]", match.group())) >= _ALONE
        if (is_random(match.group()) and (alone or beside)) or (beside and _HEX.fullmatch(match.group())):
            yield start, end
    yield from (match.span() for match in _PREFIXED.finditer(text) if is_random(match[1]))
    for match in _PREFIXED_HEX.finditer(text):
        if not _OF_SOMETHING_ELSE.search(text, max(0, match.start() - 12), match.start()):
            yield match.span()


def is_random(value: str) -> bool:
    """Whether letters of both cases and digits follow one another as if they were drawn."""
    kinds = ["u" if one.isupper() else "l" if one.islower() else "d" if one.isdigit() else "s" for one in value]
    changes = sum(one != other for one, other in pairwise(kinds))
    bits = -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())
    enough = changes >= _LEAST_CHANGES * len(value) and bits >= min(_LEAST_BITS, log2(len(value)) - 0.7)
    drawn = {"u", "l"} <= set(kinds) and kinds.count("d") >= max(2, len(value) // 20)  # else names that are written together
    return drawn and enough and kinds.count("s") * 8 <= len(value)  # else a path or words
