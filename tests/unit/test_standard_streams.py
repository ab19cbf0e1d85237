"""Standard streams that are full, closed or of another encoding."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEAKS = """
import sys
from trustgraph_react_mem.cli import prepare_streams
from trustgraph_react_mem.cli.console import Screen
prepare_streams()
Screen(json_output=False).say("Łódź 😀")
Screen(json_output=True).data({"city": "Łódź 😀"})
"""


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii"])
def test_a_character_that_the_terminal_does_not_have_is_escaped(encoding: str) -> None:
    """Before, the command ended with "this is a bug" after it had stored the text."""
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-c", SPEAKS], capture_output=True, env=environment, check=True)
    said, value = done.stdout.decode(encoding).splitlines()
    assert json.loads(value) == {"city": "Łódź 😀"}
    assert said == ("Łódź 😀" if encoding == "utf-8" else "Łódź 😀".encode(encoding, "backslashreplace").decode(encoding))


@pytest.mark.parametrize(("streams", "code"), [(">/dev/full", 3), (">/dev/full 2>&1", 3), (">&-", 0), (">&- 2>&- <&-", 0)])
@pytest.mark.parametrize("option", ["", "--json"])
def test_streams_that_are_full_or_closed_print_no_traceback(streams: str, code: int, option: str, tmp_path: Path) -> None:
    command = f'"{Path(sys.executable).with_name("react-mem")}" keys list --data "{tmp_path}"'
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} {option} {streams}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
