"""Lenient JSON parsing of model answers: small models add fences, surrounding text and extra commas.

No I/O.  Unreadable answers raise ``ValueError`` with a reason that can be shown to the model.
"""

import json
import re
from typing import Any

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_SMART_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})
_DECODER = json.JSONDecoder(strict=False)  # a raw line break inside a string is accepted


def parse_json(text: str) -> Any:
    """The JSON value in the answer.

    Raises:
        ValueError: it holds none.
    """
    candidates = [text.strip(), *(fenced.strip() for fenced in _FENCE.findall(text))]
    failure = ""
    for candidate in candidates:
        for form in (candidate, _mended(candidate)):
            try:
                return _DECODER.decode(form)
            except ValueError as error:
                failure = failure or str(error)
    for candidate in reversed(candidates):
        for start in _openings(candidate):
            for form in (candidate[start:], _mended(candidate[start:])):
                try:
                    return _DECODER.raw_decode(form)[0]
                except ValueError:
                    continue
    raise ValueError(f"no JSON in the answer: {failure}")


def parse_jsonl(text: str) -> list[Any]:
    """The objects of an answer with one object per line.  Other lines are skipped, also the end of a truncated answer.

    A JSON array, or objects over several lines, are accepted too.
    """
    fenced = _FENCE.findall(text)
    body = "\n".join(fenced) if fenced else text
    found = []
    for line in body.splitlines():
        plain = line.strip().rstrip(",")
        for form in (plain, _mended(plain)):  # repaired only if necessary: a comma may be part of a text
            try:
                found.append(_DECODER.decode(form))
            except ValueError:
                continue
            break
    if len(found) == 1 and isinstance(found[0], list):
        return found[0]
    objects = [item for item in found if isinstance(item, dict | list)]
    return objects or _sequence(body)


def _sequence(text: str) -> list[Any]:
    """Consecutive objects, whatever their line breaks, or the items of one array."""
    found: list[Any] = []
    position = 0
    while (opening := re.compile(r"[{\[]").search(text, position)) is not None:
        try:
            value, length = _DECODER.raw_decode(text[opening.start() :])
        except ValueError:
            position = opening.end()
            continue
        position = opening.start() + length
        found.extend(value if isinstance(value, list) else [value])
    return found


def _openings(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"[{\[]", text)][:20]


def _mended(text: str) -> str:
    """Repair typical mistakes of small models that do not change the meaning."""
    return _TRAILING_COMMA.sub("", text.translate(_SMART_QUOTES))
