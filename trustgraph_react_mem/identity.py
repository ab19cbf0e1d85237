"""The user and the data directory that are meant if none is named: the same for the command line and for Python."""

import getpass
import os
from pathlib import Path

import platformdirs

PROGRAM = "react-mem"


def default_user() -> str:
    """``REACT_MEM_USER``, where an empty text selects the shared memory, else the login name."""
    return os.environ.get("REACT_MEM_USER", login_name())


def login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no entry for this uid, as in some containers
        return "user"


def default_directory() -> Path:
    """``REACT_MEM_HOME``, else ``react-mem`` in the user's data directory."""
    chosen = os.environ.get("REACT_MEM_HOME", "")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir(PROGRAM, appauthor=False))
