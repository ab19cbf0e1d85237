"""Cases: recorded sessions, and what must hold in memory afterwards.

A file is a JSON object ``{"cases": [...]}``.  Fields of a case that are not named here are ignored.
"""

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from trustgraph_react_mem.errors import BadRequest


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True)


class Line(_Read):
    role: Literal["user", "assistant", "tool"]
    text: str
    name: str = ""


class Session(_Read):
    """``understood``: the items of a good answer, which name their line by its position and what they change by its text."""

    at: datetime
    lines: tuple[Line, ...]
    understood: tuple[dict[str, Any], ...] = ()


class Case(_Read):
    """``active``, ``rules``: words of entries and rules that must hold.  ``gone``, ``no_rules``: words that none may have."""

    id: str
    lang: str
    kind: str
    sessions: tuple[Session, ...]
    active: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    no_rules: tuple[str, ...] = ()


class _File(_Read):
    cases: tuple[Case, ...]


def read_cases(path: Path) -> tuple[Case, ...]:
    """Raises: BadRequest (there is no such file, or it does not have this form)."""
    try:
        return _File.model_validate_json(path.read_bytes()).cases
    except OSError as error:
        raise BadRequest(f"the cases {path} cannot be read ({error.strerror}): --cases must name a JSON file") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadRequest(f"{path} does not have the form of bench/understand/cases.py: {place}: {first['msg']}") from None
