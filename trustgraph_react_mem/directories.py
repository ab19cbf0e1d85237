"""Directories for personal data."""

from pathlib import Path

from .errors import ConfigurationError


def make_private_directory(path: Path) -> None:
    """Create the directory and its parents, readable by the owner alone.  Nothing happens if it exists.

    Raises: ConfigurationError (a file is in the way, or the place cannot be written).
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the data directory {path} cannot be created ({error.strerror}): choose another directory with --data"
        ) from error
