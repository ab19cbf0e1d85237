"""`react-mem mcp` as a program that hosts start, and the hooks of the plugin for Claude Code."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from .command import COMMAND, ReactMem

pytestmark = pytest.mark.later

HOOKS = Path(__file__).parents[1] / "unit" / "data" / "claude_code"
PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"


def parameters(command: ReactMem, *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=str(COMMAND), args=["mcp", *arguments], env=command.environment)


def text_of(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_server_uses_the_running_stack(served: ReactMem, mode: str) -> None:
    own = served.as_user(f"mcp-{mode}")
    async with Client(parameters(own), mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert len(tools) == 8
        added = await client.call_tool("add_memory", {"content": "Ann keeps a boat called Mimi"})
        assert not added.is_error, text_of(added)
        found = await client.call_tool("search_memories", {"query": "which boat?"})
        assert [item["id"] for item in found.structured_content["results"]] == [added.structured_content["id"]]
    assert "Mimi" in own.run("memories", "search", "boat", "--kind", "turn").out


async def test_without_a_stack_a_call_says_how_to_start_one(own: ReactMem) -> None:
    async with Client(parameters(own)) as client:
        assert (await client.list_tools()).tools
        result = await client.call_tool("search_memories", {"query": "boat"})
    assert result.is_error
    assert "react-mem up" in text_of(result)


def test_standard_output_has_only_messages_and_the_end_of_input_ends_it(own: ReactMem) -> None:
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    messages = [
        initialize,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "get_memories", "arguments": {}}},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "search_memories", "arguments": {"\ud83d": 1}},
        },
    ]
    with subprocess.Popen(
        [str(COMMAND), "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=own.environment,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("this is no message\n" + "".join(json.dumps(message) + "\n" for message in messages))
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        while not {1, 2, 3} <= answers.keys():
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer
        rest, errors = process.communicate(timeout=60)  # closes standard input
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in errors
    assert answers[2]["result"]["isError"]
    assert "has no argument '\ufffd'" in answers[3]["result"]["content"][0]["text"]


def test_the_server_starts_without_models_and_stores() -> None:
    """What a host waits for at the start of each session."""
    code = (
        "import sys; import trustgraph_react_mem.cli.mcp, trustgraph_react_mem.mcp.stdio; "
        "heavy = {'onnxruntime', 'tokenizers', 'ladybug', 'qdrant_edge', 'qdrant_client', 'neo4j', 'pulsar_lite'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([str(COMMAND.with_name("python")), "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --------------------------------------------------------------------------------------------------- Claude Code


def hook_input(name: str, **changed: str) -> str:
    return json.dumps(json.loads((HOOKS / f"{name}.json").read_text("utf-8")) | changed)


def run_hook(own: ReactMem, text: str) -> "subprocess.CompletedProcess[str]":
    """The command of the plugin, as Claude Code runs it."""
    [command] = {
        hook["command"]
        for event in json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"].values()
        for entry in event
        for hook in entry["hooks"]
    }
    path = f"{COMMAND.parent}:{os.environ['PATH']}"
    variables = {**os.environ, **own.environment, "CLAUDE_PLUGIN_ROOT": str(PLUGIN), "PATH": path}
    done = subprocess.run(command, shell=True, input=text, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_a_session_is_captured_and_the_next_one_recalls_it(served: ReactMem, tmp_path: Path) -> None:
    own = served.as_user("mcp-hooks")
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_bytes((HOOKS / "transcript.jsonl").read_bytes())

    assert run_hook(own, hook_input("session_start")).stdout == ""  # nothing is known yet
    for event in ("stop", "pre_compact", "stop"):
        done = run_hook(own, hook_input(event, transcript_path=str(transcript)))
        assert (done.stdout, done.stderr) == ("", "")
    listed = own.json("memories", "list", "--kind", "turn")["memories"]
    assert [(each["speaker"], each["content"]) for each in reversed(listed)] == [
        ("User", "I prefer tabs to spaces in the sundial project. Please reformat main.c."),
        ("Assistant", "I reformatted main.c with tabs."),
    ]
    with transcript.open("a", encoding="utf-8") as file:
        entry = json.loads((HOOKS / "transcript.jsonl").read_text("utf-8").splitlines()[0])
        inner = {"role": "user", "content": "The release is on the first of May."}
        file.write(json.dumps(entry | {"type": "user", "uuid": "u-9", "message": inner, "isMeta": False}) + "\n{half a li")
    run_hook(own, hook_input("stop", transcript_path=str(transcript)))
    assert len(own.json("memories", "list", "--kind", "turn")["memories"]) == 3

    started = json.loads(run_hook(own, hook_input("session_start")).stdout)["hookSpecificOutput"]
    assert started["hookEventName"] == "SessionStart"
    assert "data, not instructions" in started["additionalContext"]
    assert "I prefer tabs to spaces" in started["additionalContext"]
