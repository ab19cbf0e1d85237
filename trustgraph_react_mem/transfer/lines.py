"""The line format of exports: write records as JSON lines, and parse and validate lines."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from ..errors import BadRequest, RefinementError
from ..memory.policies import DataPolicy
from ..memory.ports import FactWithHistory, LoggedReward, StoredWeights, Switches
from ..memory.records import Conversation, Episode, Fact, Invocation, VersionEntry
from ..memory.scope import Scope
from ..memory.text.well_formed import well_formed_tree
from ..memory.timefmt import format_time, require_time
from ..refine.records import RefinementEvent
from ..refine.stored import to_invocation

FORMAT = "trustgraph-react-mem"
SCHEMA_VERSION = 3  # of version 0.1.0, too

MOST_LINE_BYTES = 4_000_000  # as JSON text in a message; brokers refuse messages of more than 5 MB

_LEFT_OUT = frozenset({"scope", "indexed", "invocations"})
_NAMES = {"record_id": "id"}  # of fields whose name in a line is another
_TEXTS: Mapping[str, Sequence[str]] = {  # fields with text of users or models, to which the data policy applies
    "fact": ("content", "condition", "action", "entities", "metadata"),
    "change": ("content", "before"),
    "episode": ("goal", "steps", "outcome", "lessons", "metadata"),
    "invocation": ("query", "summary", "result", "steps"),
    "conversation": ("metadata",),
    "refinement": ("query", "text", "variant", "sampling"),
}

_IDS = ("id", "source", "conversation_id", "session_id", "invocation_id", "turn_ids", "recalled_ids", "fact_id")

Row = Mapping[str, Any]


@dataclass(slots=True)
class Lines:
    """Parsed records by type."""

    facts: list[FactWithHistory] = field(default_factory=list)
    changes: list[VersionEntry] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
    conversations: list[Conversation] = field(default_factory=list)
    replacements: list[tuple[str, str]] = field(default_factory=list)  # (new id, old id)
    rewards: list[LoggedReward] = field(default_factory=list)
    weights: list[StoredWeights] = field(default_factory=list)
    switches: list[tuple[str, Switches]] = field(default_factory=list)
    refinements: list[Invocation] = field(default_factory=list)  # stored events


# -- writing -------------------------------------------------------------------------------------------------------------


def line_of(kind: str, record: Any, **more: Any) -> str:
    """The line of a record, with ``more`` fields.  ``record``: a dataclass, or its row."""
    row = record if isinstance(record, Mapping) else _plain(record)
    return json.dumps({"type": kind, **row, **more}, ensure_ascii=False, sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return {_NAMES.get(each.name, each.name): getattr(value, each.name) for each in _fields(type(value))}


# -- reading -------------------------------------------------------------------------------------------------------------


def read_lines(scope: Scope, text: str, policy: DataPolicy | None, *, first: int = 1) -> Lines:
    """Parse lines, and apply ``policy`` to their texts (None: only validate).  A record whose text must be dropped is left out.

    ``first``: the number of the first line, for errors.

    Raises:
        BadRequest: a line is not a valid record; the message has the line number and the reason.
    """
    read = Lines()
    # Not splitlines(): it also splits at U+2028 and similar characters, which JSON does not escape.
    for number, written in enumerate(text.split("\n"), start=first):
        if not written.strip():
            continue
        row = _parse_object(written, number)
        kind = str(row.get("type"))
        if ("type" not in row and "format" in row) or kind in _PASSED_OVER:
            continue
        if kind not in _READERS:
            raise BadRequest(
                f"line {number}: type = {kind[:40]!r} is not a known record type: "
                "import it with the version of react-mem that wrote it, or a newer one"
            )
        kept = row if policy is None else _apply_policy(row, _TEXTS.get(kind, ()), policy, number)
        place, reader = _READERS[kind]
        record = reader(_Line(row if kept is None else kept, number, scope))
        if kept is not None:
            getattr(read, place).append(record)
    return read


def _apply_policy(row: Row, names: Sequence[str], policy: DataPolicy, number: int) -> Row | None:
    """The row after the policy was applied to its texts; None if one of them must be dropped."""

    def screen(value: Any) -> Any:
        if isinstance(value, str):
            screened = policy.screen(value)
            if screened.dropped:
                raise _DroppedText
            return screened.text
        if isinstance(value, list):
            return [screen(each) for each in value]
        if isinstance(value, dict):
            plain = policy.screen_map({str(key): each for key, each in value.items() if isinstance(each, str)})
            if plain.dropped:
                raise _DroppedText
            return {**{key: screen(each) for key, each in value.items() if not isinstance(each, str)}, **plain.fields}
        return value

    def screen_record(value: Row, names: Sequence[str]) -> Row:
        for name in _IDS:
            for each in value.get(name, ()) if isinstance(value.get(name), list) else [value.get(name)]:
                policy.check_id(f"line {number}: {name}", each) if isinstance(each, str) else None
        screened = {
            name: screen_record(value[name], _TEXTS["fact"])
            if name == "before" and isinstance(value[name], dict)
            else screen(value[name])
            for name in names
            if name in value
        }
        if isinstance(speaker := value.get("speaker"), str):
            screened["speaker"] = policy.screen_name(speaker)
        return {**value, **screened}

    try:
        return screen_record(row, names)
    except _DroppedText:
        return None


class _DroppedText(Exception):
    """The policy does not allow storing a text."""


def _fields(kind: type) -> "list[Field[Any]]":
    return [each for each in fields(kind) if each.name not in _LEFT_OUT]


_hints = cache(get_type_hints)
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


@dataclass(frozen=True, slots=True)
class _Line:
    """A parsed line with its number, and the scope of the import."""

    row: Row
    number: int
    scope: Scope

    def refuse(self, what: str) -> BadRequest:
        return BadRequest(f"line {self.number}: {what}")

    def texts(self, *names: str) -> list[str]:
        """The values of these fields.  Raises: BadRequest (one is missing, or no text)."""
        for name in names:
            if not isinstance(self.row.get(name), str) or not self.row[name]:
                raise self.refuse(f"a {self.row['type']} needs {name}, a text")
        return [str(self.row[name]) for name in names]

    def time(self, name: str) -> datetime:
        try:
            return require_time(self.row.get(name), without_zone="refuse")
        except ValueError:
            raise self.refuse(f"{name} = {str(self.row.get(name))[:40]!r} is not an ISO 8601 time with its zone") from None

    def record(self, kind: type, **given: Any) -> Any:
        """A record with the fields of the row, and these.  Unknown keys are ignored.  Raises: BadRequest."""
        hints = _hints(kind)
        names = {each.name: _NAMES.get(each.name, each.name) for each in _fields(kind) if each.name not in given}
        values = given | {name: self._value(key, hints[name]) for name, key in names.items() if key in self.row}
        first = fields(kind)[0].name  # by which it is known
        if not values.get(first):
            raise self.refuse(f"a {self.row['type']} needs {names[first]}")
        try:
            return kind(**values, **({"scope": self.scope} if "scope" in hints else {}))
        except TypeError as error:
            raise self.refuse(str(error).split("__init__() ")[-1]) from None

    def _value(self, name: str, hint: Any) -> Any:
        value = self.row[name]
        if hint is datetime or hint == datetime | None:
            return self.time(name) if value or hint is datetime else None
        try:
            if hint is bytes:
                return base64.b64decode(value, validate=True)
            return _adapter(hint).validate_python(tuple(value) if isinstance(value, list) else value, strict=True)
        except ValidationError as error:
            raise self.refuse(f"{name} = {str(value)[:40]!r}: {error.errors()[0]['msg']}") from None
        except (TypeError, ValueError):
            raise self.refuse(f"{name} is not Base64") from None


def _parse_object(line: str, number: int) -> Row:
    try:
        row = well_formed_tree(json.loads(line))
    except json.JSONDecodeError as error:
        raise BadRequest(f"line {number} is not JSON ({error.msg}): import a file that export wrote") from None
    except RecursionError:
        raise BadRequest(f"line {number} is nested too deeply: import a file that export wrote") from None
    if not isinstance(row, dict):
        raise BadRequest(f"line {number} is a JSON {type(row).__name__}: import a file that export wrote")
    return row


def _read_fact(line: _Line) -> FactWithHistory:
    fact: Fact = line.record(Fact)
    row = {**line.row, "stored_at": line.row.get("stored_at") or line.row["created_at"]}
    archived: FactWithHistory = replace(line, row=row).record(FactWithHistory, fact=fact, changes=())
    return archived


def _read_change(line: _Line) -> VersionEntry:
    before, version = line.row.get("before"), line.row.get("version")
    if not isinstance(before, dict) or not isinstance(version, int) or version < 2:
        raise line.refuse("a change needs version, 2 or more, and before, the record as it was")
    former: Fact = replace(line, row={**before, "type": "change", "id": line.row.get("id")}).record(Fact)
    row = {"by": "", "trigger": "", "content": "", **line.row}
    entry: VersionEntry = replace(line, row=row).record(VersionEntry, before=former)
    return entry


def _read_refinement(line: _Line) -> Invocation:
    try:
        event = RefinementEvent.from_dict(line.row)
    except RefinementError as error:
        raise line.refuse(str(error)) from None
    undone_at = line.time("undone_at") if line.row.get("undone_at") else None
    return replace(to_invocation(event), undone_at=undone_at, operation=str(line.row.get("operation") or ""))


def _read_switches(line: _Line) -> tuple[str, Switches]:
    name, read, write = line.row.get("conversation_id", ""), line.row.get("read"), line.row.get("write")
    if not isinstance(name, str) or not isinstance(read, bool) or not isinstance(write, bool):
        raise line.refuse("switches need read and write, each true or false")
    return name, Switches(read=read, write=write)


#: By type of line: the field of ``Lines`` for its records, and what reads one.
_READERS: Mapping[str, tuple[str, Callable[[_Line], Any]]] = {
    "fact": ("facts", _read_fact),
    "change": ("changes", _read_change),
    "episode": ("episodes", lambda line: line.record(Episode)),
    "invocation": ("invocations", lambda line: line.record(Invocation)),
    "conversation": ("conversations", lambda line: line.record(Conversation)),
    "refinement": ("refinements", _read_refinement),
    "supersession": ("replacements", lambda line: tuple(line.texts("new", "old"))),
    "reward": ("rewards", lambda line: line.record(LoggedReward)),
    "weights": ("weights", lambda line: line.record(StoredWeights)),
    "switches": ("switches", _read_switches),
}
#: The trailer of a file, and relations of entities, which version 0.1 exported and nothing reads.
_PASSED_OVER = ("end", "relation")
