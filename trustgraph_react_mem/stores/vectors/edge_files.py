"""The folder of an embedded vector index."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...memory.embedding import EmbeddingProfile
from .points import check_profile, profile_entry

DROPPED = ".dropped"  # suffix of a folder that is being deleted


def prepare_directory(directory: Path, profile: EmbeddingProfile, generation: str) -> None:
    """Create the folder, or check that it belongs to this model.  Also complete interrupted deletions."""
    for leftover in directory.parent.glob(f"*{DROPPED}"):
        shutil.rmtree(leftover, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "profile.json"
    if file.exists():
        entry = json.loads(file.read_text("utf-8"))
        check_profile(f"the vector index at {directory}", entry, profile)
        if generation and not entry.get("generation"):
            _write_entry(file, entry | {"generation": generation})
        return
    _write_entry(file, profile_entry(profile, generation))


def _write_entry(file: Path, entry: Mapping[str, Any]) -> None:
    draft = file.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as out:
        json.dump(entry, out)
        out.flush()
        os.fsync(out.fileno())
    draft.rename(file)


def delete_directory(directory: Path) -> None:
    """Delete an index.  The folder is renamed first, so that a half-deleted index is never opened."""
    leftover = directory.with_name(directory.name + DROPPED)
    shutil.rmtree(leftover, ignore_errors=True)
    if directory.exists():
        directory.rename(leftover)
        shutil.rmtree(leftover)
