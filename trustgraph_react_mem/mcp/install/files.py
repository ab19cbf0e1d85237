"""Adds an entry to a configuration file: JSON, or TOML for Codex.

JSON is read and written whole, so a file with comments, double names or any other thing that would be lost is refused.  In TOML
only the table of the entry is replaced, and the result is read back and compared before it is written.
"""

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...errors import BadRequest, ConfigurationError
from ...memory.text.well_formed import well_formed
from .clients import Entry, Program

MOST_BYTES = 50_000_000
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def snippet(program: Program, name: str, entry: Entry, *, remote: bool) -> str:
    """The entry in a file of its own, as people may copy it."""
    if program.toml:
        return _toml_table(program.section, name, entry)
    content: dict[str, Any] = {program.section: {name: entry}}
    if remote and program.inputs:
        content["inputs"] = list(program.inputs)
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def with_entry(text: str, program: Program, name: str, entry: Entry, *, remote: bool) -> str:
    """The content of a configuration file with the entry, new or instead of the former one.

    Raises: BadRequest (something in the file would be lost; the message says what).
    """
    if program.toml:
        return _toml_with(text, program.section, name, entry)
    content = _read_json(text)
    servers = content.setdefault(program.section, {})
    if not isinstance(servers, dict):
        raise BadRequest(f"{program.section!r} in it is not an object")
    servers[name] = entry
    if remote and program.inputs:
        inputs = content.setdefault("inputs", [])
        if not isinstance(inputs, list):
            raise BadRequest("'inputs' in it is not a list")
        known = {each.get("id") for each in inputs if isinstance(each, dict)}
        inputs += [each for each in program.inputs if each["id"] not in known]
    written = json.dumps(content, indent=_indent(text), ensure_ascii=False)
    if well_formed(written) != written:  # half a character, as programs leave it that shorten texts, needs an escape
        written = json.dumps(content, indent=_indent(text))
    return written + "\n"


def _read_json(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        content = json.loads(text, object_pairs_hook=_without_doubles, parse_float=_exact_number, parse_int=_exact_number)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"it is not plain JSON, so comments or exact values would be lost ({error})") from None
    if not isinstance(content, dict):
        raise BadRequest("it holds no JSON object")
    return content


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _exact_number(text: str) -> int | float:
    """Raises: ValueError (the number would be written in another form)."""
    number: int | float = int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    if json.dumps(number) != text:
        raise ValueError(f"the number {text} would change")
    return number


def _indent(text: str) -> int | str:
    """Of the first indented line."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found.group(1) if found else 2


# ------------------------------------------------------------------------------------------------------------- TOML


def _toml_with(text: str, section: str, name: str, entry: Entry) -> str:
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRequest(f"it is not valid TOML ({error})") from None
    servers = before.get(section, {})
    if isinstance(servers, dict) and servers.get(name) == entry:
        return text
    kept = _without_table(text, section, name)
    gap = "" if not kept.strip() else "\n" if kept.endswith("\n") else "\n\n"
    after = kept + gap + _toml_table(section, name, entry)
    wanted = {**before, section: {**(servers if isinstance(servers, dict) else {}), name: entry}}
    try:
        same = tomllib.loads(after) == wanted
    except tomllib.TOMLDecodeError:
        same = False
    if not same:
        raise BadRequest(f"its table {section!r} is written in a form that cannot be extended safely")
    return after


def _without_table(text: str, section: str, name: str) -> str:
    """Without the tables of the entry, from their headers to the next header of another table.

    Comments directly above that next header belong to it and stay.
    """
    quoted = rf"(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}')"
    own = re.compile(rf"\s*\[\s*{section}\s*\.\s*{quoted}\s*(?:\.[^\]]*)?\]\s*(?:#.*)?")
    kept, dropping, comments = list[str](), False, list[str]()
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            dropping = own.fullmatch(line.rstrip("\r\n")) is not None
            kept += comments
            comments = []
        if not dropping:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            comments.append(line)
        else:
            comments = []
    return "".join([*kept, *comments])


def _toml_table(section: str, name: str, entry: Mapping[str, Any]) -> str:
    key = name if _BARE.fullmatch(name) else json.dumps(name)
    plain = {field: value for field, value in entry.items() if not isinstance(value, dict)}
    tables = {field: value for field, value in entry.items() if isinstance(value, dict)}
    lines = [f"[{section}.{key}]", *(f"{field} = {_toml_value(value)}" for field, value in plain.items())]
    for field, values in tables.items():
        lines += ["", f"[{section}.{key}.{field}]"]
        lines += [f"{one if _BARE.fullmatch(one) else json.dumps(one)} = {_toml_value(value)}" for one, value in values.items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    """Strings and lists of strings: basic strings of TOML are JSON strings but for DEL, which needs an escape."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ------------------------------------------------------------------------------------------------------------ files


def read_file(path: Path) -> str:
    """The content, "" if there is no file.  Raises: ConfigurationError."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigurationError(f"{path} is larger than {MOST_BYTES} bytes: it is not a configuration file")
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 (save it as UTF-8)"
        raise ConfigurationError(f"{path} cannot be read: {reason}") from None


def replace_file(path: Path, before: str, after: str) -> Path | None:
    """Write ``after`` in one step.  Returns the backup of the former file, with the same permissions; None if there was none.

    Raises: ConfigurationError (the file changed since it was read, it is read-only, or it cannot be written).
    """
    path = path.resolve()  # a link, as managers of dotfiles make them, stays a link
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        if not mode & 0o200:  # replacing it would succeed, against the will of who protected it
            raise ConfigurationError(f"{path} is read-only: make it writable with chmod u+w, or add the entry by hand")
        backup = _back_up(path, mode) if path.exists() else None
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(after)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, mode)
            if read_file(path) != before:
                raise ConfigurationError(f"{path} was changed by another program at this moment: run the command again")
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None
    return backup


def _back_up(path: Path, mode: int) -> Path:
    backup = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}.bak")
    with open(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(path.read_bytes())
    backup.chmod(mode)  # the umask may have narrowed it
    return backup
