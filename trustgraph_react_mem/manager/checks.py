"""Checks of what a program passes to a memory manager."""

from collections.abc import Mapping, Sequence

from ..errors import BadRequest
from ..memory.records import FACT_KINDS
from ..memory.requests.fields import MOST_FOUND
from ..memory.text.printable import is_blank
from .entries import LAYERS, Layer


def check_layer(layer: Layer) -> Layer:
    """Raises BadRequest: there is no such layer."""
    if layer not in LAYERS:
        raise BadRequest(f"unknown layer {layer!r}: use one of {', '.join(LAYERS)}")
    return layer


def not_opened(name: str) -> BadRequest:
    """The error of a manager that was created without ``open`` or ``connect``."""
    return BadRequest(
        f"{name}(...) has no stores: write {name}.open('my-memory') for a directory, "
        f"or {name}.connect('pulsar://HOST:6650') for a deployment"
    )


def check_text(name: str, value: object) -> str:
    """Raises BadRequest: not a text, or an empty one."""
    if not isinstance(value, str):
        raise BadRequest(f"{name} is {value!r} ({type(value).__name__}): pass a text, such as str(...) of it")
    if is_blank(value):
        raise BadRequest(f"{name} is empty: pass a text with at least one word")
    return value


def metadata_of(given: Mapping[str, object]) -> dict[str, str]:
    """The metadata of an entry as texts.  Raises BadRequest: a value that is no text, number or truth value."""
    for name, value in given.items():
        if not isinstance(value, str | int | float):
            whole = isinstance(value, Mapping)
            remedy = "give each field as an argument of its own" if whole else "pass a text, such as str(...) of it"
            raise BadRequest(f"{name} is {value!r:.80} ({type(value).__name__}): {remedy}")
    return {name: str(value) for name, value in given.items()}


def check_kinds(kinds: Sequence[str], known: Sequence[str] = FACT_KINDS) -> list[str]:
    """Raises BadRequest: not a list, or there is no such kind."""
    if isinstance(kinds, str) or not isinstance(kinds, Sequence):
        raise BadRequest(f"kinds is {kinds!r:.80}: pass a list of {', '.join(known)}")
    for kind in kinds:
        if kind not in known:
            raise BadRequest(f"unknown kind {kind!r:.80}: use one of {', '.join(known)}")
    return list(kinds)


def check_limit(limit: int) -> int:
    """Raises BadRequest: no whole number, below 1, or above what a request can return."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_FOUND:
        raise BadRequest(f"limit is {limit!r}: it must be a whole number of at least 1 and at most {MOST_FOUND}")
    return limit


def read_success(text: str) -> bool:
    """Raises BadRequest: neither true nor false."""
    if text.casefold() not in ("true", "false"):
        raise BadRequest(f"succeeded is {text!r}: it must be True or False")
    return text.casefold() == "true"
