"""What one check of `doctor` found."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    name: str
    state: Literal["ok", "configured", "limited", "missing", "unreachable", "wrong"]
    detail: str
    remedy: str = ""
