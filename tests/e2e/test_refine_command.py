"""`react-mem refine`: a session is written, watched, shown, exported and erased."""

import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from .command import COMMAND, ReactMem

pytestmark = pytest.mark.later


def test_a_session_is_written_step_by_step_and_shown(served: ReactMem, tmp_path: Path) -> None:
    ana = served.as_user("refine-ana")
    drafted = ana.json("refine", "add", "draft", "It scatters", "--query", "Why is the sky blue?", "--companion", "strategy")
    session = drafted["session_id"]
    assert (drafted["suggestions"]["next_action"], drafted["phase"]["can_critique"]) == ("critique", True)
    ana.json("refine", "add", "critique", "Say which light", "--session", session)
    revised = ana.json("refine", "add", "revise", "Blue light\n# scatters most", "--session", session)
    other = ana.run("refine", "add", "critique", "Another one", "--session", session, "--companion", "generic")
    assert (other.code, "pollution_detected: " in other.err) == (2, True), other.err
    assert revised["standing"] == "Blue light\n# scatters most"
    assert revised["run_log"][0]["critique"] == ["Say which light"]
    assert [each["session_id"] for each in ana.json("refine", "list")["sessions"]] == [session]
    shown = ana.run("refine", "show", session)
    assert shown.code == 0
    assert "Say which light" in shown.out
    assert "next: revise or finalize" in shown.out
    assert ana.json("refine", "view", "critique", session)["window"].startswith("[ORIGINAL BASELINE]\nIt scatters")
    assert ana.json("refine", "view", "draft", session, "--query", "Another?")["is_new"]
    assert "no_critique: " in ana.run("refine", "view", "revise", session).err
    assert ana.json("refine", "metrics")["avg_iterations_by_type"] == {"strategy": 1.0}
    assert ana.json("refine", "metrics", "--session", session)["phase_timing"]["total_phase_calls"] == 3
    file = tmp_path / "session.md"
    ana.json("refine", "transcript", session, "--out", str(file))
    text = file.read_text("utf-8")
    assert text == ana.json("refine", "transcript", session)["markdown"]
    assert "> # scatters most" in text.splitlines()
    assert ana.run("refine", "transcript", session, "--out", str(file)).code == 2
    nowhere = ana.run("refine", "transcript", session, "--out", str(tmp_path / "nowhere" / "session.md"))
    assert (nowhere.code, "cannot write" in nowhere.err) == (2, True), nowhere.err
    assert served.as_user("refine-bob").run("refine", "show", session).code == 2
    assert ana.json("refine", "forget", session, "--yes")["steps"] == 3
    assert ana.json("refine", "list")["sessions"] == []
    assert ana.run("refine", "forget", session, "--yes").code == 2


def test_a_wrong_step_is_refused_in_one_line(served: ReactMem) -> None:
    cid = served.as_user("refine-cid")
    for arguments, code in (
        (("critique", "too early"), "no_draft: "),
        (("draft", "no question"), "validation_error: query is empty"),
        (("draft", " ", "--query", "Why?"), "validation_error: text"),
        (("critique", "x", "--session", "7"), "invalid_session: "),
        (("critique", "x", "--session", str(uuid4())), "no refinement session"),
    ):
        refused = cid.run("refine", "add", *arguments)
        assert refused.code == 2
        assert code in refused.err
        assert "Traceback" not in refused.err
    assert cid.json("refine", "list")["sessions"] == []


def test_a_session_is_watched_while_it_grows(served: ReactMem) -> None:
    dan = served.as_user("refine-dan")
    session = dan.json("refine", "add", "draft", "first text", "--query", "Why?")["session_id"]
    command = [COMMAND, "refine", "watch", session, "--idle", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dan.environment) as watching:
        assert watching.stdout is not None
        assert [watching.stdout.readline() for _ in range(2)] == ["question\n", "  Why?\n"]
        dan.json("refine", "add", "critique", "second text", "--session", session)
        seen = "".join(iter(watching.stdout.readline, "  second text\n"))
        watching.terminate()  # a background job ignores SIGINT
    assert "first text" in seen
    assert dan.json("refine", "show", session)["phase"]["can_revise"]
