"""docs/migration.md as an operator walks it: every command of the page, in order, in a workspace of its own."""

import asyncio
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from .conftest import Pair
from .trustgraph import ROOT, STOCK

pytestmark = pytest.mark.stock

WORKSPACE = "operated"
LONGEST_S = 600.0  # bounds a failure: a block of commands takes a few seconds
PAGE = (ROOT / "docs" / "migration.md").read_text("utf-8")


def commands(title: str) -> list[str]:
    """The shell blocks under a heading, one after the other."""
    section = PAGE.partition(f"## {title}")[2].partition("\n## ")[0]
    assert section, title
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


class Operator:
    """A shell in the page's environment, with this TrustGraph's addresses in place of the page's."""

    def __init__(self, pair: Pair, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (exports, *_) = commands("Before phase 1")
        set_ = dict(re.findall(r"(\w+)=(\S*)", re.sub(r"#.*", "", exports)))
        assert set(set_) == {"TRUSTGRAPH_URL", "REACT_MEM_BUS", "REACT_MEM_FLOW", "REACT_MEM_USER"}
        here = {
            "TRUSTGRAPH_URL": pair.trustgraph.gateway_url,
            "REACT_MEM_BUS": pair.trustgraph.pulsar_url,
            "REACT_MEM_KEYS": str(pair.stack.settings.keys),  # an operator has the master key
        }
        path = f"{Path(sys.executable).parent}:{STOCK}:{os.environ['PATH']}"
        self._environment = {**os.environ, **set_, **here, "TRUSTGRAPH_WORKSPACE": WORKSPACE, "PATH": path, "COLUMNS": "200"}
        self._environment.pop("PYTHONPATH", None)
        self._folder = folder
        self._capsys = capsys
        self._began = time.monotonic()

    async def types(self, script: str, patience_s: float = 0.0) -> str:
        """The output.  ``patience_s``: how long to repeat what fails where other processes are slow."""
        deadline = time.monotonic() + patience_s
        while True:
            code, out, err = await self._run(script)
            if code == 0:
                return out
            assert time.monotonic() < deadline, f"exit code {code} of\n{script}\n{out}\n{err}"

    async def _run(self, script: str) -> tuple[int | None, str, str]:
        """Exit code, output and error output of a shell.  What it started ends with it."""
        # the page's blueprint is TrustGraph's usual one; here it is called plain
        script = re.sub(r"\beverything\b", "plain", script)
        with self._capsys.disabled():  # a test that hangs is ended without what it has written
            print(f"\n{time.monotonic() - self._began:5.0f} s  {script.splitlines()[0]} ...", end="", flush=True)
        out, err = self._folder / "stdout", self._folder / "stderr"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            shell = await asyncio.create_subprocess_exec(
                *("bash", "-euo", "pipefail", "-c", script),
                cwd=self._folder,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        try:
            async with asyncio.timeout(LONGEST_S):
                code: int | None = await shell.wait()
        except TimeoutError:
            os.killpg(shell.pid, signal.SIGKILL)
            await shell.wait()
            code = None
        return code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace")

    async def json(self, command: str) -> dict[str, object]:
        found: dict[str, object] = json.loads((await self.types(f"{command} --json")).splitlines()[-1])
        return found

    async def memories(self) -> list[str]:
        listed = (await self.json("react-mem memories list"))["memories"]
        assert isinstance(listed, list)
        return [memory["content"] for memory in listed]


def test_every_block_of_commands_is_walked() -> None:
    titles = ("Before phase 1", "Phase 1", "Phase 2", "Phase 3", "Phase 4", "The default flow, and back")
    assert sum(len(commands(title)) for title in titles) == PAGE.count("```sh")


async def prompt_with(pair: Pair, words: str) -> str:
    return next(prompt for prompt in reversed(await pair.trustgraph.prompts()) if words in prompt)


@pytest.mark.asyncio(loop_scope="session")
async def test_an_operator_walks_the_page_and_leaves_nothing_behind(
    pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = pair.trustgraph.configuration(WORKSPACE)
    types = ("flow-blueprint", "prompt", "interface-description", "agent-mem", "agent-mem-install")
    before = {kind: configuration.values(kind) for kind in types}
    operator = Operator(pair, tmp_path, capsys)
    await pair.trustgraph.start_flow("default", over="plain", workspace=WORKSPACE)

    _, install = commands("Before phase 1")
    shown = await operator.types(install.splitlines()[0])
    assert "create" in shown
    assert {kind: configuration.values(kind) for kind in types} == before, "a dry run writes"
    *written, doctor = install.splitlines()[1:]
    await operator.types("\n".join(written))
    await pair.trustgraph.answers("mem", workspace=WORKSPACE)
    said = await operator.types(doctor, LONGEST_S)
    assert said.count("ok ") == 10, said
    assert "no similarity floor was measured" in said  # for the tests' own embedding model
    assert "supervisor run" in said
    again = await operator.types("react-mem install --blueprint everything")
    assert "nothing to change" in again

    (block,) = commands("Phase 1")
    assert "Paris" in await operator.types(block)
    assert await operator.memories() == []

    chats = [{"role": "user", "content": "My dog Miso is allergic to chicken."}]
    (tmp_path / "old-chats.jsonl").write_text("".join(json.dumps(line) + "\n" for line in chats), "utf-8")
    (block,) = commands("Phase 2")
    assert "allergic to chicken" in await operator.types(block)
    assert "allergic to chicken" in await prompt_with(pair, "What is my dog allergic to?")
    await operator.types("react-mem jobs wait --kind record")
    assert await operator.memories() == ["My dog Miso is allergic to chicken."]

    (block,) = commands("Phase 3")
    assert "record" in await operator.types(block)
    assert "My cat Mia sleeps in the oven." in await operator.memories()

    (block,) = commands("Phase 4")
    await operator.types(block)

    switch, leave = commands("The default flow, and back")
    await operator.types(switch)
    await pair.trustgraph.answers("default", workspace=WORKSPACE)
    await pair.trustgraph.ask("default", {"question": "My hen Olga lays blue eggs."}, workspace=WORKSPACE)
    await operator.types("react-mem jobs wait --kind record")
    kept = await operator.memories()
    assert "My cat Mia sleeps in the oven." in kept, "a switch of flows loses nothing"
    assert not any("Olga" in memory for memory in kept), "memory is off for the default flow until its first phase ends"
    left = await operator.types(leave)
    assert "receipt" in left
    assert {kind: configuration.values(kind) for kind in types} == before
    await pair.trustgraph.answers("default", workspace=WORKSPACE)
    await pair.trustgraph.stop_flow("default", workspace=WORKSPACE)
