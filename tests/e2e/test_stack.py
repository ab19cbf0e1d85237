"""The stack itself: up, Ctrl-C, kill -9, doctor, and commands that start their own."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.turn_trace import TurnTrace

from .command import SCRIPT, ReactMem, Result

ROOT = Path(__file__).parents[2]
FACT = "My dog Miso is allergic to chicken."


def test_up_says_what_was_chosen_and_ctrl_c_ends_it_cleanly(own: ReactMem) -> None:
    with own.up() as stack:
        assert stack.ready["address"].startswith("unix://")
        assert {"model", "embeddings", "data"} <= set(stack.ready)
        second = own.run("up")
        assert second.code == 2
        assert "already serves" in second.err
        assert stack.interrupt() == 0
    assert own.json("memories", "list")["memories"] == []


def test_what_was_acknowledged_before_kill_9_is_there_once_after_up(own: ReactMem) -> None:
    facts = [f"My dog number {number} is called Miso{number}." for number in range(5)]
    with own.up() as stack:
        for fact in facts[:-1]:
            own.json("ask", fact)
        last = own.json("ask", facts[-1])
        stack.kill()
    assert last["recorded"] is True
    with own.up() as stack:
        own.json("jobs", "wait", "--kind", "record")
        kept = [memory["content"] for memory in own.json("memories", "list")["memories"]]
        assert stack.interrupt() == 0
    assert sorted(text for text in kept if text in facts) == sorted(facts)


@pytest.mark.slow
async def test_sigterm_lets_a_running_turn_finish_and_it_is_remembered(own: ReactMem, tmp_path: Path) -> None:
    script = tmp_path / "slow.json"
    script.write_text(
        json.dumps({"default": "Noted.", "rules": [{"when": "Question: My dog", "answer": "Noted.", "delay_s": 10}]})
    )
    with own.up(script) as stack:
        async with await MemoryBus.connect(stack.address) as bus:
            trace = TurnTrace(question=FACT)
            turn = bus.ask(AgentRequest(question=FACT, user=own.user))
            trace.feed(await anext(turn))  # what was recalled: the model is next
            ending = asyncio.create_task(asyncio.to_thread(stack.terminate))
            async for message in turn:
                trace.feed(message)
        assert await ending == 0
    assert trace.answer == "Noted."
    assert trace.cited["recorded"] is True
    with own.up(script):
        own.json("jobs", "wait", "--kind", "record")
        assert FACT in [memory["content"] for memory in own.json("memories", "list")["memories"]]


@pytest.mark.slow
def test_a_damaged_file_of_jobs_is_named_with_what_to_do(own: ReactMem) -> None:
    own.json("ask", FACT, "--model", f"scripted:{SCRIPT}")
    for path in (own.home / "data").glob("jobs.db*"):
        path.write_bytes(b"damaged" * 10_000)
    failed = own.run("ask", FACT, "--model", f"scripted:{SCRIPT}")
    assert failed.code == 4
    assert "jobs.db cannot be read or written" in failed.err


def test_a_command_without_a_stack_starts_its_own_and_keeps_what_was_said(own: ReactMem) -> None:
    own.json("ask", FACT, "--model", f"scripted:{SCRIPT}")
    asked = own.json("ask", "What is my dog allergic to?", "--model", f"scripted:{SCRIPT}")
    assert "chicken" in asked["answer"]


@pytest.mark.parametrize("served", ["embedded"], indirect=True)
def test_doctor_names_state_and_remedy(served: ReactMem) -> None:
    result = served.run("doctor", "--json")
    findings = {finding["name"]: finding for finding in result.value["findings"]}
    assert findings["stack"]["state"] == "ok"
    assert findings["stack"]["detail"].startswith("process ")
    assert all(finding["remedy"] for finding in findings.values() if finding["state"] in ("missing", "unreachable", "wrong"))


def run_demo(own: ReactMem, *arguments: str) -> Result:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py"), *arguments],
        capture_output=True,
        text=True,
        env=own.environment | {"PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def test_the_demo_shows_recall_answers_and_learning_and_checks_itself(own: ReactMem) -> None:
    example = ROOT / "examples" / "dog-and-trip.txt"
    data = str(own.home / "demo")
    result = run_demo(own, str(example), "--data", data, "--model", f"scripted:{SCRIPT}", "--patience", "10")
    assert result.code == 0, result.out + result.err
    for expected in (
        "recall",
        "thought",
        "answer",
        "learned",
        "all 3 checked answers have the expected value",
    ):
        assert expected in result.out
    again = run_demo(own, str(example), "--data", data, "--model", f"scripted:{SCRIPT}")
    assert again.code == 2
    assert "not empty" in again.err
