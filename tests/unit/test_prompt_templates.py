"""Prompts of a workspace over the defaults of the package."""

import json
from typing import Any

import ibis
import pytest

from trustgraph_react_mem.config import prompts, system_prompt
from trustgraph_react_mem.errors import ConfigurationError, ModelAnswerError
from trustgraph_react_mem.processors.operations.prompt_templates import WorkspacePrompts

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def stored(prompt_id: str, **entry: Any) -> dict[str, str]:
    return {f"template.{prompt_id}": json.dumps({"prompt": "p"} | entry)}


@pytest.mark.parametrize("prompt_id", sorted(prompts()))
def test_every_default_compiles(prompt_id: str) -> None:
    ibis.Template(prompts()[prompt_id]["prompt"])
    assert WorkspacePrompts().prompt(prompt_id).response_type in ("text", "json", "jsonl")


def test_a_workspace_says_it_otherwise() -> None:
    workspace = WorkspacePrompts(
        {"system": json.dumps("Be {{mood}}."), **stored("agent-react-mem", prompt="Mine: {{question}}")}
    )
    assert workspace.system({"mood": "brief"}) == "Be brief."
    assert workspace.prompt("agent-react-mem").render({"question": "why?"}) == "Mine: why?"
    assert WorkspacePrompts().system({}) == system_prompt()


def test_a_workspace_that_overrides_a_replaced_prompt_is_told(caplog: pytest.LogCaptureFixture) -> None:
    WorkspacePrompts(stored("memory-relate-facts") | stored("agent-react-mem"))
    (told,) = caplog.messages
    assert "template.memory-relate-facts has no effect any more" in told
    assert "template.memory-understand" in told


@pytest.mark.parametrize(
    "entry",
    [{"prompt": "{% if x %}"}, {"prompt": "{% nope %}"}, {"prompt": 3}, {"prompt": "p", "response-type": "xml"}],
)
def test_a_broken_template_does_not_take_the_others_with_it(entry: dict[str, Any]) -> None:
    workspace = WorkspacePrompts(stored("bad", **entry) | stored("good", prompt="fine"))
    assert workspace.prompt("good").render({}) == "fine"
    with pytest.raises(ConfigurationError, match="bad"):
        workspace.prompt("bad")


def test_json_is_checked_against_the_schema_without_quoting_it() -> None:
    found = WorkspacePrompts(stored("x", **{"response-type": "json", "schema": SCHEMA})).prompt("x")
    assert found.read('Here: {"a": 1}') == {"a": 1}
    with pytest.raises(ModelAnswerError, match=r"\$\.a breaks type") as raised:
        found.read('{"a": "the user\'s secret"}')
    assert "secret" not in str(raised.value)
    with pytest.raises(ModelAnswerError, match="no JSON"):
        found.read("I cannot.")


TEA = {"op": "add", "text": "Ann likes tea", "line": 0}
WANTED = {"items": [TEA], "episode": None}
WHOLE = json.dumps(WANTED)
PROMPT = "memory-understand"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('<think>{"items": []} seems right</think>' + WHOLE, WANTED),
        (f"Here is what changes:\n{WHOLE}\nHope this helps!", WANTED),
        (json.dumps([TEA]), WANTED),
        (json.dumps({"items": [TEA]}), WANTED),
        (json.dumps({"items": TEA}), WANTED),
        (json.dumps({"result": [TEA]}), WANTED),
        ('{"items": null}', {"items": [], "episode": None}),
        (json.dumps(TEA), WANTED),
        (json.dumps(TEA) + "\n" + json.dumps(TEA), WANTED),
        ("1. " + json.dumps(TEA), WANTED),
        (json.dumps({"result": WANTED}), WANTED),
        (json.dumps({"name": "save", "arguments": WANTED}), WANTED),
        (json.dumps(WHOLE), WANTED),
        (json.dumps({"items": json.dumps([TEA])}), WANTED),
        (json.dumps({"items": [json.dumps(TEA)]}), WANTED),
        (json.dumps({"items": [[TEA]]}), WANTED),
        (json.dumps({"items": {"1": TEA}}), WANTED),
        ('{"items": []}\nWait, one more:\n' + WHOLE, WANTED),
        ('{"items": [{"op": "add", "text": "Ann likes tea", "line": 0, "context": None}]}', WANTED),
        (json.dumps({"Items": [TEA]}), WANTED),
        ('{"items": [{"op": "end"}], "items": ' + json.dumps([TEA]) + "}", WANTED),
        (json.dumps({"items": [TEA], "episode": 3}), WANTED),
        (
            json.dumps({"items": [TEA], "episode": {"goal": "move", "outcome": "done"}}),
            {"items": [TEA], "episode": {"goal": "move", "outcome": "done"}},
        ),
    ],
)
def test_a_list_is_read_in_the_forms_that_small_models_give_it(answer: str, expected: Any) -> None:
    assert WorkspacePrompts().prompt(PROMPT).read(answer) == expected


@pytest.mark.parametrize("context", ["c1", 1, None])
def test_of_an_answer_that_was_cut_off_the_complete_items_are_kept(context: str | int | None) -> None:
    empty = dict.fromkeys(("quote", "keep", "when", "from", "to", "topic"), "")
    whole = TEA | empty | {"old": [], "kind": "state", "context": context, "weight": 2}
    answer = f'{{"items": [{json.dumps(whole)}, {{"op": "add", "text": "Ann has 12'
    kept = {name: value for name, value in whole.items() if value is not None}
    assert WorkspacePrompts().prompt(PROMPT).read(answer) == {"items": [kept], "episode": None}
