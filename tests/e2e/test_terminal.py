"""Commands in a real terminal (a pty): what Ctrl-C ends, and what it does not."""

import json
import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .command import COMMAND, ReactMem

SLOW = {
    "rules": [{"when": "Question: slow", "answer": "Final Answer: late", "delay_s": 60.0}],
    "default": "Final Answer: Noted.",
}
WAIT_S = 90.0


class Terminal:
    def __init__(self, descriptor: int, process: "subprocess.Popen[bytes]") -> None:
        self._descriptor, self._process = descriptor, process
        self._seen = ""
        self.everything = ""  # with control sequences

    def until(self, wanted: str) -> str:
        """Everything up to the wanted text, without control sequences."""
        end = time.monotonic() + WAIT_S
        while wanted not in self._seen:
            assert time.monotonic() < end, f"{wanted!r} did not come: {self._seen[-2000:]}"
            if select.select([self._descriptor], [], [], 0.2)[0]:
                try:
                    text = os.read(self._descriptor, 65_536).decode("utf-8", "replace")
                except OSError as gone:
                    raise AssertionError(f"the command ended before {wanted!r}: {self._seen[-2000:]}") from gone
                if "\x1b[6n" in text:  # a question for the place of the cursor
                    self.send("\x1b[1;1R")
                self.everything += text
                self._seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
        before, _, self._seen = self._seen.partition(wanted)
        return before + wanted

    def send(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def exit_code(self) -> int:
        end = time.monotonic() + WAIT_S
        while self._process.poll() is None and time.monotonic() < end:
            if select.select([self._descriptor], [], [], 0.2)[0]:
                try:
                    text = os.read(self._descriptor, 65_536).decode("utf-8", "replace")
                except OSError:
                    break
                self.everything += text
                self._seen += text
        code = self._process.wait(10)
        assert "Traceback" not in self._seen, self._seen
        return code


@contextmanager
def terminal(command: ReactMem, *arguments: str) -> Iterator[Terminal]:
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [str(COMMAND), *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=command.environment | {"TERM": "xterm", "COLUMNS": "100"},
        start_new_session=True,
        preexec_fn=_control_terminal,
    )
    os.close(theirs)
    try:
        yield Terminal(mine, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(10)
        os.close(mine)


def _control_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.slow
def test_ctrl_c_stops_an_answer_and_not_the_chat(own: ReactMem, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SLOW), encoding="utf-8")
    with terminal(own, "chat", "--model", f"scripted:{script}") as chat:
        chat.until("Ctrl-D leaves")
        chat.until("you")
        chat.send("slow\r")
        time.sleep(3.0)
        chat.send("\x03")
        chat.until("stopped: the agent completes this answer in the background")
        chat.until("you")
        chat.send("My dog Miso is allergic to chicken.\r")
        chat.until("Noted.")
        chat.until("you")
        time.sleep(3.0)  # the exchange is stored in the background
        chat.send("/memories\r")
        chat.until("Miso")
        chat.until("you")
        chat.send("\x03")
        assert chat.exit_code() == 0


@pytest.mark.slow
def test_no_control_character_of_a_memory_reaches_the_terminal(own: ReactMem, tmp_path: Path) -> None:
    file = tmp_path / "hostile.jsonl"
    text = "My boat \x1b]0;owned\x07is \x9b31mred\x1b[2J and \u202eevil\u2066."
    file.write_text(json.dumps({"role": "user", "content": text}), encoding="utf-8")
    own.run("import", "chatml", str(file))
    for arguments in (("memories", "list"), ("memories", "search", "boat"), ("memories", "list", "--json")):
        with terminal(own, *arguments) as shown:
            assert shown.exit_code() == 0
            raw = shown.everything
        for forbidden in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2066"):
            assert forbidden not in raw, (arguments, forbidden)
        assert ("\\u202e" if "--json" in arguments else "U+202E") in raw


@pytest.mark.slow
def test_a_terminal_and_a_pipe_get_the_same_without_control_signs(served: ReactMem, tmp_path: Path) -> None:
    eva = served.as_user("drawn-eva")
    file = tmp_path / "said.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "My boat is called \x1b[2JWalrus"}), encoding="utf-8")
    eva.json("import", "chatml", str(file))
    [boat] = [memory["id"] for memory in eva.json("memories", "list")["memories"]]
    eva.json("ask", "My harp is called Finch.")
    eva.json("jobs", "wait", "--kind", "record")
    searched, shown_once = ("memories", "search", "What is my boat called?"), ("memories", "show", boat)
    for arguments, drawn in ((searched, "the final score"), (shown_once, "history")):
        piped = eva.run(*arguments)
        assert piped.code == 0, piped.err
        assert drawn in piped.out
        with terminal(eva, *arguments) as shown:
            shown.until(drawn)
            assert shown.exit_code() == 0
            assert "\x1b[2J" not in shown.everything
