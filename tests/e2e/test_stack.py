"""The stack itself: up, Ctrl-C, kill -9, doctor, and commands that start their own."""

import asyncio
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from trustgraph.schema import AgentResponse

from trustgraph_react_mem.bus.external_client import AGENT_TIMEOUT_S, MemoryBus
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.requests import StoreFact
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.turn_trace import TurnTrace

from .command import SCRIPT, ReactMem, Result

ROOT = Path(__file__).parents[2]
FACT = "My dog Miso is allergic to chicken."


def test_up_says_what_was_chosen_and_ctrl_c_ends_it_cleanly(own: ReactMem) -> None:
    with own.up() as stack:
        assert stack.ready["address"].startswith("pulsar://127.0.0.1:")
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


async def test_what_was_asked_by_a_client_that_left_is_not_begun(own: ReactMem) -> None:
    async def ask(bus: MemoryBus, question: str, timeout_s: float = AGENT_TIMEOUT_S) -> list[AgentResponse]:
        return [message async for message in bus.ask(AgentRequest(question=question, user=own.user), timeout_s)]

    with own.up() as stack:
        async with await MemoryBus.connect(stack.address) as bus:
            await bus.call(StoreFact(user=own.user, content="A fact before"))
            await ask(bus, "A question before")
            with stack.paused():
                leaving = [bus.call(StoreFact(user=own.user, content=f"Too late {number}"), 1.0) for number in range(20)]
                refused = await asyncio.gather(*leaving, ask(bus, "Too late?", 1.0), return_exceptions=True)
            assert {type(each) for each in refused} == {EngineUnavailable}
            await bus.call(StoreFact(user=own.user, content="A fact after"))
            await ask(bus, "A question after")
        own.json("jobs", "wait")
        kept = [memory["content"] for memory in own.json("memories", "list", "--limit", "100")["memories"]]
    assert {"A fact before", "A question before", "A fact after", "A question after"} <= set(kept)
    assert [content for content in kept if content.startswith("Too late")] == []


@pytest.mark.slow
def test_a_command_that_waits_for_an_answer_notices_that_the_stack_was_killed(own: ReactMem, tmp_path: Path) -> None:
    script = tmp_path / "slow.json"
    script.write_text(json.dumps({"rules": [{"answer": "late", "delay_s": 250}]}), encoding="utf-8")
    with own.up(script) as stack, ThreadPoolExecutor() as pool:
        asking = pool.submit(own.run, "ask", FACT)
        time.sleep(10)  # the question is at the model by then
        assert not asking.done()
        stack.kill()
        began_s = time.monotonic()
        result = asking.result()
    assert result.code == 4, result.err
    assert "ended" in result.err or "lost" in result.err
    assert time.monotonic() - began_s < 20


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
async def test_a_turn_that_is_longer_than_the_grace_is_told_that_the_stack_stops(own: ReactMem, tmp_path: Path) -> None:
    script = tmp_path / "slow.json"
    script.write_text(json.dumps({"rules": [{"answer": "late", "delay_s": 250}]}), encoding="utf-8")
    with own.up(script, REACT_MEM_SHUTDOWN_GRACE="1") as stack:
        async with await MemoryBus.connect(stack.address) as bus:
            trace = TurnTrace(question=FACT)
            turn = bus.ask(AgentRequest(question=FACT, user=own.user))
            trace.feed(await anext(turn))
            ending = asyncio.create_task(asyncio.to_thread(stack.terminate))
            async for message in turn:
                trace.feed(message)
        assert await ending == 0
    assert "stopping" in trace.error


@pytest.mark.slow
def test_a_damaged_broker_is_named_with_its_remedy_which_keeps_the_jobs(own: ReactMem) -> None:
    with own.up() as stack:
        own.json("ask", FACT)
        stack.kill()
    store = own.home / "data" / "bus" / "data.rocksdb"
    for file in store.glob("MANIFEST-*"):
        file.write_bytes(file.read_bytes()[:20] + b"damaged" + file.read_bytes()[27:])
    failed = own.run("ask", FACT, "--model", f"scripted:{SCRIPT}")
    assert failed.code == 4
    assert "react-mem repair bus" in failed.err
    assert own.json("repair", "bus")["unreadable"] == 0
    with own.up():
        own.json("jobs", "wait", "--kind", "record")
        kept = [memory["content"] for memory in own.json("memories", "list")["memories"]]
        assert kept.count(FACT) == 1
        assert own.run("repair", "bus").code == 2


@pytest.mark.slow
def test_doctor_sees_a_damaged_broker(own: ReactMem) -> None:
    own.json("ask", FACT, "--model", f"scripted:{SCRIPT}")
    [log] = (own.home / "data" / "bus" / "data.rocksdb" / "entrylog").glob("*.log")
    content = bytearray(log.read_bytes())
    content[100] ^= 0x55
    log.write_bytes(bytes(content))
    findings = {finding["name"]: finding for finding in own.run("doctor", "--json").value["findings"]}
    assert findings["broker"]["state"] == "wrong"
    assert "react-mem repair bus" in findings["broker"]["remedy"]


def test_a_command_without_a_stack_starts_its_own_and_keeps_what_was_said(own: ReactMem) -> None:
    own.json("ask", FACT, "--model", f"scripted:{SCRIPT}")
    asked = own.json("ask", "What is my dog allergic to?", "--model", f"scripted:{SCRIPT}")
    assert "chicken" in asked["answer"]


@pytest.mark.parametrize("served", ["embedded"], indirect=True)
def test_doctor_names_state_and_remedy(served: ReactMem) -> None:
    result = served.run("doctor", "--json")
    findings = {finding["name"]: finding for finding in result.value["findings"]}
    assert findings["stack"]["state"] == "ok"
    assert "pulsar://" in findings["stack"]["detail"]
    assert all(finding["remedy"] for finding in findings.values() if finding["state"] in ("missing", "unreachable", "wrong"))


def test_doctor_sees_a_data_directory_that_others_can_read(own: ReactMem) -> None:
    data = own.home / "data"
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    result = own.run("doctor", "--json")
    finding = next(item for item in result.value["findings"] if item["name"] == "data directory")
    assert finding["state"] == "wrong"
    assert "chmod 700" in finding["remedy"]
    assert result.code == 5


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "instead", "code", "recalled", "told"),
    [
        (
            "We will stay at the Pension Aurora, because it takes dogs.",
            "Our password is Aurora-7261.",
            5,
            2,
            "was not recalled",
        ),
        ("answer: Aurora", "answer: Belvedere", 0, 3, "the model's mistake"),
    ],
)
def test_the_demo_fails_where_a_fact_is_not_recalled_and_reports_the_mistakes_of_the_model(
    own: ReactMem, tmp_path: Path, said: str, instead: str, code: int, recalled: int, told: str
) -> None:
    example = (ROOT / "examples" / "dog-and-trip.txt").read_text(encoding="utf-8")
    file = tmp_path / "wrong.txt"
    file.write_text(example.replace(said, instead), encoding="utf-8")
    arguments = [str(file), "--model", f"scripted:{SCRIPT}", "--patience", "10"]
    result = run_demo(own, *arguments, "--data", str(own.home / "demo"), "--json")
    assert result.code == code, result.out + result.err
    [report] = [line["report"] for line in result.lines if "report" in line]
    assert (report["good"], report["recalled"]) == (2, recalled)
    shown = run_demo(own, *arguments, "--data", str(own.home / "demo-2"))
    assert told in shown.out + shown.err
