"""Logs unexpected errors: what failed, the class of the error and where it was raised.

The text of an unexpected error, and of the errors that led to it, may hold what a person wrote (``invalid literal for int():
'...'``).  So it is logged at DEBUG only.
"""

import logging
import sys
import traceback
from pathlib import Path

FRAMES = 6  # innermost ones


def log_failure(logger: logging.Logger, message: str, *values: object) -> None:
    """Log the error that is being handled.  ``message``: with one ``%`` form for each value."""
    error = sys.exception()
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:] if error is not None else []
    where = " < ".join(f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in reversed(frames))
    # The operating system's words, such as "No space left on device", hold no text of a person.
    cause = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
    logger.error(f"{message}: %s%s at %s", *values, type(error).__name__, cause, where)
    logger.debug("details of the failure", exc_info=True)
