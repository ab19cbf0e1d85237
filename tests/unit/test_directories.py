"""Data directories and files that other accounts cannot read."""

import stat
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from trustgraph_react_mem.cli.connection import wait_for_deployment
from trustgraph_react_mem.cli.options import Session
from trustgraph_react_mem.directories import make_private_directory, open_private_file
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.identity import default_directory
from trustgraph_react_mem.stack_state import is_stack_starting, lock_directory
from trustgraph_react_mem.store_settings import StoreSettings


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def a_directory(path: Path, *names: str) -> Path:
    path.mkdir()
    for name in names:
        (path / name).touch()
    path.chmod(0o755)
    return path


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


@pytest.mark.parametrize("name", ["REACT_MEM_KEYS", "REACT_MEM_SCOPE_KEYS"])
def test_keys_are_never_in_the_working_directory_by_mistake(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "")
    with pytest.raises(ConfigurationError, match=f"{name} = '': is empty: name a directory"):
        StoreSettings()


def test_an_empty_data_directory_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_MEM_HOME", "")
    assert StoreSettings().home == default_directory()
