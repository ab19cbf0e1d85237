"""The causes of failures as they may be logged.

The text of an error of this package holds no user text (``errors``).  That of any other error, and of the errors that led to
it, may hold what a person wrote (``invalid literal for int(): '...'``).  So it is logged at DEBUG only.
"""

import logging
import sys
import traceback
from pathlib import Path

from .errors import MemoryServiceError

FRAMES = 6  # innermost ones


def describe_error(error: BaseException | None) -> str:
    """The class of an error, with its text if that holds no text of a person."""
    if isinstance(error, MemoryServiceError):
        return f"{error.wire_type}: {error}"
    # The operating system's words, such as "No space left on device", hold none either.
    cause = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
    return f"{type(error).__name__}{cause}"


def log_failure(logger: logging.Logger, message: str, *values: object) -> None:
    """Log the error that is being handled, and where it was raised.  ``message``: with one ``%`` form for each value."""
    error = sys.exception()
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:] if error is not None else []
    where = " < ".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in reversed(frames))
    logger.error(f"{message}: %s at %s", *values, describe_error(error), where)
    logger.debug("details of the failure", exc_info=True)
