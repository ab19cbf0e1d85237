"""The key store: what is stored, who is found, and that several processes agree."""

import multiprocessing
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import ConfigurationError, NotFound
from trustgraph_react_mem.http.keys import FILE, KeyFile
from trustgraph_react_mem.memory.screening.secrets import find_secrets

pytestmark = pytest.mark.later


def create_many(directory: Path, count: int) -> None:
    for number in range(count):
        KeyFile(directory).create("user", user=f"person{number}")


def test_a_key_is_found_by_its_secret_alone_and_the_secret_is_not_stored(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "data")
    key, secret = keys.create("user", user="ana", collections=["work"], writes=False, label="laptop")
    found = keys.find(secret)
    assert found is not None
    assert found.principal.user == "ana"
    assert found.principal.collections == ("work",)
    assert not found.principal.writes
    text = (tmp_path / "data" / FILE).read_text("utf-8")
    assert secret not in text
    assert secret.split("_")[2] not in text
    assert secret.startswith(key.prefix)
    assert "digest" not in repr(key)


@pytest.mark.parametrize(
    "change", [lambda s: s[:-1], lambda s: s + "0", lambda s: s.upper(), lambda s: "", lambda s: s[:-1] + "é"]
)
def test_anything_else_is_no_key(tmp_path: Path, change: object) -> None:
    keys = KeyFile(tmp_path / "data")
    _, secret = keys.create("user", user="ana")
    assert callable(change)
    assert keys.find(change(secret)) is None


def test_the_file_is_private_and_an_open_one_is_refused(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "data")
    _, secret = keys.create("user", user="ana")
    path = tmp_path / "data" / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        KeyFile(tmp_path / "data").find(secret)


def test_another_process_revokes_a_key_at_once(tmp_path: Path) -> None:
    listener, command = KeyFile(tmp_path / "data"), KeyFile(tmp_path / "data")
    key, secret = command.create("user", user="ana")
    assert listener.find(secret) is not None
    command.revoke(key.prefix)
    assert listener.find(secret) is None
    assert listener.list()[0].revoked_at
    with pytest.raises(NotFound, match="keys list"):
        command.revoke("00000000")


def test_processes_that_write_at_the_same_time_lose_no_key(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=create_many, args=(tmp_path / "data", 5)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(KeyFile(tmp_path / "data").list()) == 15


def test_a_key_in_what_a_person_says_is_found_as_a_secret(tmp_path: Path) -> None:
    _, secret = KeyFile(tmp_path / "data").create("user", user="ana")
    text = f"use {secret} for that"
    assert {text[begin:end] for begin, end in find_secrets(text)} == {secret}


def test_a_link_is_good_once_for_a_time_and_is_no_key(tmp_path: Path) -> None:
    now = [datetime(2026, 5, 1, tzinfo=UTC)]
    keys = KeyFile(tmp_path / "data", now=lambda: now[0])
    link, secret = keys.create("user", user="ana", collections=["work"], link_s=600)
    assert keys.find(secret) is None
    assert keys.list() == []
    other = KeyFile(tmp_path / "data", now=lambda: now[0])  # of the listener, another process
    found = other.redeem(secret)
    assert found is not None
    assert (found.id, found.user, found.collections) == (link.id, "ana", ("work",))
    assert keys.redeem(secret) is None

    _, late = keys.create("user", user="ana", link_s=600)
    now[0] += timedelta(seconds=601)
    assert keys.redeem(late) is None
    _, key = keys.create("user", user="ana")
    assert keys.redeem(key) is None, "a key is not used up"
    assert late.split("_")[1] not in (tmp_path / "data" / FILE).read_text("utf-8"), "an ended link is removed by the next write"
