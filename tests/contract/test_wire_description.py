"""The committed descriptions of the wire are current, valid, and true of messages as they are sent."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from trustgraph_react_mem.bus import wire

DOCS = Path(__file__).parents[2] / "docs"


def _script() -> Any:
    spec = importlib.util.spec_from_file_location("describe_wire", DOCS / "describe_wire.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_files_are_what_the_script_writes() -> None:
    stale = [
        str(path.relative_to(DOCS))
        for path, text in _script().files().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    assert not stale, "run: python docs/describe_wire.py"


@pytest.mark.parametrize(("name", "cls"), _script().classes().items())
def test_a_message_meets_its_schema_and_a_wrong_one_does_not(name: str, cls: type) -> None:
    described = json.loads((DOCS / "schema" / f"{name}.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(described)
    message = json.loads(wire.encode(cls()))
    jsonschema.validate(message, described)
    field = next(iter(described["properties"]))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(message | {field: [["wrong"]]}, described)
