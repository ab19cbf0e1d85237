"""The master key: it wraps the keys of scopes, and is stored apart from the data."""

import base64
import binascii
import os
import secrets
import stat
from pathlib import Path

from ...errors import ConfigurationError

KEY_BYTES = 32


def load_master_key(path: Path) -> bytes:
    """Read the key file.  If there is none, create it with a new key (file mode 0600, folder mode 0700).

    Raises:
        ConfigurationError: the file is readable by other users, unreadable, or contains no key.
    """
    try:
        text = _create_key_file(path) or path.read_text("ascii")
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the key file {path} cannot be read ({error}): check its path and rights") from error
    if mode & 0o077:
        raise ConfigurationError(f"the key file {path} has mode {mode:04o}: run chmod 600 on it")
    key = _decode_key(text)
    if key is None:
        raise ConfigurationError(
            f"the key file {path} contains no key: restore it from a backup (a new key cannot read the old data)"
        )
    return key


def master_key_from(text: str) -> bytes:
    """Parse a key from the environment.  Raises: ConfigurationError (the message does not contain the text)."""
    key = _decode_key(text)
    if key is None:
        raise ConfigurationError(
            f"the master key must be {KEY_BYTES} random bytes in base64: make one with "
            f"`head -c {KEY_BYTES} /dev/urandom | base64`"
        )
    return key


def _decode_key(text: str) -> bytes | None:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_BYTES else None


def _create_key_file(path: Path) -> str | None:
    """Create the key file and return its text; None if the file exists."""
    if path.exists():
        return None
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode() + "\n"
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # atomic: fails if another process created the file first, and then its key is used
        return text
    except FileExistsError:
        return None
    finally:
        draft.unlink()
