"""Data directories and files that other accounts cannot read."""

import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from trustgraph_react_mem.cli.connection import wait_for_deployment
from trustgraph_react_mem.cli.options import Session
from trustgraph_react_mem.directories import make_private_directory, open_private_file
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.stack_state import is_stack_starting, lock_directory


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def a_directory(path: Path, *names: str) -> Path:
    path.mkdir()
    for name in names:
        (path / name).touch()
    path.chmod(0o755)
    return path


def test_a_new_directory_is_private(tmp_path: Path) -> None:
    make_private_directory(tmp_path / "a" / "b")
    assert mode(tmp_path / "a" / "b") == 0o700


@pytest.mark.parametrize("names", [(), ("stack.lock",), ("graph", "notes.txt")])
def test_a_directory_of_ours_that_others_can_read_is_closed(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = a_directory(tmp_path / "data", *names)
    make_private_directory(path)
    assert mode(path) == 0o700


def test_a_directory_of_something_else_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = a_directory(tmp_path / "project", "main.py")
    with pytest.raises(ConfigurationError, match=r"mode 0755.*chmod 700"):
        make_private_directory(path)
    assert mode(path) == 0o755


def test_a_private_directory_of_something_else_is_taken(tmp_path: Path) -> None:
    path = a_directory(tmp_path / "project", "main.py")
    path.chmod(0o700)
    make_private_directory(path)


def test_a_private_file_replaces_a_link_and_does_not_follow_it(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "export.part"
    victim.write_text("kept", encoding="utf-8")
    link.symlink_to(victim)
    with open_private_file(link) as file:
        file.write("memory")
    assert victim.read_text("utf-8") == "kept"
    assert not link.is_symlink()
    assert mode(link) == 0o600
    assert link.read_text("utf-8") == "memory"


def test_a_directory_that_cannot_be_written_is_a_configuration_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)  # permissions do not bind root
    with pytest.raises(ConfigurationError, match=r"cannot be written by this account: change its permissions"):
        make_private_directory(tmp_path)


def test_a_file_in_place_of_the_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(ConfigurationError, match=r"data cannot be created \(a file is in the way\).*--data"):
        make_private_directory(tmp_path / "data")


def test_a_lock_that_cannot_be_opened_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "stack.lock").mkdir()
    with pytest.raises(ConfigurationError, match=r"stack.lock cannot be opened .*give all files"):
        lock_directory(tmp_path)


def test_a_stack_that_starts_is_told_from_a_program_and_from_one_that_ended(tmp_path: Path) -> None:
    home = tmp_path / "data"
    assert not is_stack_starting(home)
    with lock_directory(home, starts_stack=True):
        assert is_stack_starting(home)
    assert not is_stack_starting(home)
    with lock_directory(home):
        assert not is_stack_starting(home)


async def test_a_command_waits_for_a_stack_that_starts(tmp_path: Path) -> None:
    lock = lock_directory(tmp_path / "data", starts_stack=True)
    told: list[str] = []

    def note(text: str) -> None:
        told.append(text)
        lock.close()

    options = SimpleNamespace(bus="", data_dir=tmp_path / "data")
    session = cast(Session, SimpleNamespace(options=options, screen=SimpleNamespace(note=note)))
    assert await wait_for_deployment(session) is None
    assert await wait_for_deployment(session) is None
    assert len(told) == 1
    assert str(tmp_path / "data") in told[0]
