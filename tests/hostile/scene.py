"""What the models and the clock of a stack do, written by an attack and read by the stack."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """``rules``: fields of ``testing.Rule``, tried before the default answer."""

    rules: Sequence[Mapping[str, Any]] = ()
    background_away: bool = False  # only for the jobs; questions are answered
    background_kills: Sequence[str] = ()  # a background prompt with such a word ends the process, as when memory runs out
    clock_off_s: float = 0.0

    @classmethod
    def load(cls, file: Path) -> "Scene":
        return cls(**json.loads(file.read_text("utf-8")))

    def save(self, file: Path) -> None:
        draft = file.with_suffix(".new")
        draft.write_text(json.dumps(asdict(self)), "utf-8")
        os.replace(draft, file)
