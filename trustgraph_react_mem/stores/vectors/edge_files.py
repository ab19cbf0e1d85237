"""The folder of an embedded vector index."""

import json
import shutil
from pathlib import Path

from ...directories import replace_private_file
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
            replace_private_file(file, json.dumps(entry | {"generation": generation}))
        return
    replace_private_file(file, json.dumps(profile_entry(profile, generation)))


def delete_directory(directory: Path) -> None:
    """Delete an index.  The folder is renamed first, so that a half-deleted index is never opened."""
    leftover = directory.with_name(directory.name + DROPPED)
    shutil.rmtree(leftover, ignore_errors=True)
    if directory.exists():
        directory.rename(leftover)
        shutil.rmtree(leftover)
