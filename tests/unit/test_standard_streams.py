"""An export to standard output and imports from standard input."""

import io
import json
import sys
from pathlib import Path

import pytest

from trustgraph_react_mem.cli.options import input_file
from trustgraph_react_mem.errors import BadRequest


class _Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_standard_input_is_kept_in_a_private_file_as_long_as_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(b'[{"role": "user", "content": "hi"}]\xff'))
    with input_file(Path("-")) as file:
        assert file.read_bytes() == b'[{"role": "user", "content": "hi"}]\xff'
        assert file.parent.stat().st_mode & 0o077 == 0
    assert not file.exists()


def test_a_named_file_is_read_where_it_is(tmp_path: Path) -> None:
    named = tmp_path / "chat.json"
    named.write_text(json.dumps([]))
    with input_file(named) as file:
        assert file == named
    with pytest.raises(BadRequest, match="does not exist"), input_file(tmp_path / "nothing.json"):
        pass
