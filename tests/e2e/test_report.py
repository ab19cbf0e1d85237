"""`react-mem report` and the drawings of a terminal over a real stack."""

import json
import re
import stat
from html import unescape
from pathlib import Path

import pytest

from .command import ReactMem
from .test_terminal import terminal

pytestmark = pytest.mark.later


def remember(command: ReactMem, folder: Path, *lines: str) -> list[str]:
    """Imports what a person said, and returns the ids, in the order of the lines."""
    file = folder / f"{command.user}.jsonl"
    file.write_text("\n".join(json.dumps({"role": "user", "content": line}) for line in lines), encoding="utf-8")
    command.json("import", "chatml", str(file))
    found = {memory["content"]: memory["id"] for memory in command.json("memories", "list")["memories"]}
    return [found[line] for line in lines]


def words_of(file: Path) -> str:
    return unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", file.read_text(encoding="utf-8"), flags=re.DOTALL))


def test_a_report_shows_the_scope_and_nothing_that_is_another_users_erased_or_switched_off(
    served: ReactMem, tmp_path: Path
) -> None:
    nils, pia = served.as_user("report-nils"), served.as_user("report-pia")
    _, erased, undone = remember(
        nils, tmp_path, "My boat is called <b>Walrus</b>", "My locker code is 4711", "My tent leaks at the seams"
    )
    remember(pia, tmp_path, "My harp is called Finch")
    nils.json("forget", erased)
    nils.json("undo", undone)
    file = tmp_path / "nils.html"
    written = nils.json("report", str(file))
    assert (written["memories"], written["listed"]) == (1, 1)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    words = words_of(file)
    assert "My boat is called <b>Walrus</b>" in words
    for absent in ("4711", "tent", "Finch"):
        assert absent not in words
    assert "1 memory undone" in words
    assert "record: " in words  # the receipt of the erasure, in numbers

    again = nils.run("report", str(file))
    assert (again.code, "repeat with --force" in again.err) == (2, True)
    nils.json("switch", "--read", "off")
    refused = nils.run("report", str(tmp_path / "none.html"))
    assert (refused.code, "switched off" in refused.err) == (2, True)
    assert not (tmp_path / "none.html").exists()
    nils.json("switch", "--read", "on")


def test_what_a_conversation_said_is_absent_while_its_reading_is_off(served: ReactMem, tmp_path: Path) -> None:
    oda = served.as_user("report-oda")
    oda.json("ask", "My canoe is stored in Umeå.", "--conversation", "private")
    oda.json("ask", "My bicycle is stored in Lund.", "--conversation", "open")
    oda.json("jobs", "wait", "--kind", "record")
    oda.json("switch", "--read", "off", "--conversation", "private")
    oda.json("report", str(tmp_path / "oda.html"))
    words = words_of(tmp_path / "oda.html")
    assert "Lund" in words
    assert "Umeå" not in words
    assert "of conversations in which reading is switched off" in words


@pytest.mark.slow
def test_a_terminal_gets_drawings_and_a_pipe_gets_lines(served: ReactMem, tmp_path: Path) -> None:
    eva = served.as_user("report-eva")
    (boat,) = remember(eva, tmp_path, "My boat is called \x1b[2JWalrus")
    eva.json("ask", "My harp is called Finch.")
    eva.json("jobs", "wait", "--kind", "record")
    for arguments, drawn in (
        (("why", "What is my boat called?"), "each bar:"),
        (("history", boat), "▶"),
        (("jobs", "list"), "changed"),
    ):
        piped = eva.run(*arguments)
        assert piped.code == 0, piped.err
        assert drawn not in piped.out
        with terminal(eva, *arguments) as shown:
            shown.until(drawn)
            assert shown.exit_code() == 0
            assert "\x1b[2J" not in shown.everything
