"""Values that no engine can take.  The request is to blame for them, not the engine, so a retry cannot help."""

import contextlib
from collections.abc import Iterator

from ..errors import BadRequest

DATA_FAULTS = (TypeError, ValueError, OverflowError)  # as the bindings and drivers raise them; UnicodeError is a ValueError


def unstorable(engine: str) -> BadRequest:
    """The exception for such a value.  It does not repeat the value, which may be user text."""
    return BadRequest(
        f"{engine} cannot take a value of this request: use valid Unicode without lone surrogates, numbers of at most 64 bits, "
        "and only texts, numbers, true and false"
    )


@contextlib.contextmanager
def refuse_data_faults(engine: str) -> Iterator[None]:
    """Raises: BadRequest (the block could not convert a value for the engine)."""
    try:
        yield
    except DATA_FAULTS as error:
        raise unstorable(engine) from error
