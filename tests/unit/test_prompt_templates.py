"""Prompts of a workspace over the defaults of the package."""

import json
from typing import Any

import ibis
import pytest

from trustgraph_react_mem.config import prompt, prompts, system_prompt
from trustgraph_react_mem.errors import ConfigurationError, ModelAnswerError, NotFound
from trustgraph_react_mem.processors.operations.prompt_templates import WorkspacePrompts

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def stored(prompt_id: str, **entry: Any) -> dict[str, str]:
    return {f"template.{prompt_id}": json.dumps({"prompt": "p"} | entry)}


@pytest.mark.parametrize("prompt_id", sorted(prompts()))
def test_every_default_compiles(prompt_id: str) -> None:
    ibis.Template(prompt(prompt_id)["prompt"])
    assert WorkspacePrompts().prompt(prompt_id).response_type in ("text", "json", "jsonl")


def test_a_workspace_says_it_otherwise() -> None:
    workspace = WorkspacePrompts(
        {"system": json.dumps("Be {{mood}}."), **stored("agent-react-mem", prompt="Mine: {{question}}")}
    )
    assert workspace.system({"mood": "brief"}) == "Be brief."
    assert workspace.prompt("agent-react-mem").render({"question": "why?"}) == "Mine: why?"
    assert WorkspacePrompts().system({}) == system_prompt()


def test_a_missing_prompt_says_where_to_store_it() -> None:
    with pytest.raises(NotFound, match=r"prompt/template\.nope"):
        WorkspacePrompts().prompt("nope")


@pytest.mark.parametrize(
    "entry",
    [{"prompt": "{% if x %}"}, {"prompt": "{% nope %}"}, {"prompt": 3}, {"prompt": "p", "response-type": "xml"}],
)
def test_a_broken_template_does_not_take_the_others_with_it(entry: dict[str, Any]) -> None:
    workspace = WorkspacePrompts(stored("bad", **entry) | stored("good", prompt="fine"))
    assert workspace.prompt("good").render({}) == "fine"
    with pytest.raises(ConfigurationError, match="bad"):
        workspace.prompt("bad")


def test_an_entry_that_is_not_json_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"template\.bad"):
        WorkspacePrompts({"template.bad": "{"}).prompt("bad")


def test_json_is_checked_against_the_schema_without_quoting_it() -> None:
    found = WorkspacePrompts(stored("x", **{"response-type": "json", "schema": SCHEMA})).prompt("x")
    assert found.read('Here: {"a": 1}') == {"a": 1}
    with pytest.raises(ModelAnswerError, match=r"\$\.a breaks type") as raised:
        found.read('{"a": "the user\'s secret"}')
    assert "secret" not in str(raised.value)
    with pytest.raises(ModelAnswerError, match="no JSON"):
        found.read("I cannot.")


def test_of_lines_those_that_fit_are_kept() -> None:
    found = WorkspacePrompts(stored("x", **{"response-type": "jsonl", "schema": SCHEMA})).prompt("x")
    assert found.read('{"a": 1}\n{"a": "no"}\nchatter\n{"a": 3}') == [{"a": 1}, {"a": 3}]
    assert found.read("nothing") == []


def test_a_schema_that_is_none_is_the_operators_fault() -> None:
    workspace = WorkspacePrompts(stored("x", **{"response-type": "json", "schema": {"type": "objekt"}}))
    with pytest.raises(ConfigurationError, match="JSON Schema"):
        workspace.prompt("x")


WANTED = {"facts": [{"fact": "Ann likes tea", "kind": "semantic", "lines": [0]}]}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('<think>{"facts": []} seems right</think>' + json.dumps(WANTED), WANTED),
        (f"Here are the facts:\n{json.dumps(WANTED)}\nHope this helps!", WANTED),
        (json.dumps(WANTED["facts"]), WANTED),
        (json.dumps({"facts": WANTED["facts"][0]}), WANTED),
        (json.dumps({"result": WANTED["facts"]}), WANTED),
        ('{"facts": null}', {"facts": []}),
        ('{"facts": ["Ann likes tea"]}', {"facts": [{"fact": "Ann likes tea"}]}),
        ('{"facts": [{"fact": "Ann likes tea"}]}', {"facts": [{"fact": "Ann likes tea"}]}),
        ('{"fact": "Ann likes tea"}', {"facts": [{"fact": "Ann likes tea"}]}),
        (json.dumps(WANTED["facts"][0]) + "\n" + json.dumps(WANTED["facts"][0]), WANTED),
        ("1. " + json.dumps(WANTED["facts"][0]), WANTED),
        (json.dumps({"result": WANTED}), WANTED),
        (json.dumps({"name": "save", "arguments": WANTED}), WANTED),
        (json.dumps(json.dumps(WANTED)), WANTED),
        (json.dumps({"facts": json.dumps(WANTED["facts"])}), WANTED),
        (json.dumps({"facts": [json.dumps(WANTED["facts"][0])]}), WANTED),
        (json.dumps({"facts": [WANTED["facts"]]}), WANTED),
        (json.dumps({"facts": {"1": WANTED["facts"][0]}}), WANTED),
        ('{"facts": {"1": "Ann likes tea"}}', {"facts": [{"fact": "Ann likes tea"}]}),
        ('{"facts": []}\nWait, one more:\n' + json.dumps(WANTED), WANTED),
        (
            '{"facts": [{"fact": "Ann likes tea", "valid_to": None, "changes": False}]}',
            {"facts": [{"fact": "Ann likes tea", "changes": False}]},
        ),
        ('{"facts": [{"text": "Ann likes tea"}]}', {"facts": [{"fact": "Ann likes tea", "text": "Ann likes tea"}]}),
        ('{"Facts": [{"Fact": "Ann likes tea"}]}', {"facts": [{"fact": "Ann likes tea", "Fact": "Ann likes tea"}]}),
        ('{"facts": [{"fact": "no"}], "facts": [{"fact": "Ann likes tea"}]}', {"facts": [{"fact": "Ann likes tea"}]}),
    ],
)
def test_a_list_is_read_in_the_forms_that_small_models_give_it(answer: str, expected: Any) -> None:
    assert WorkspacePrompts().prompt("memory-extract-facts").read(answer) == expected


def test_a_model_that_finds_more_than_was_asked_for_loses_nothing() -> None:
    found = [
        {"fact": f"Ann owns boat {number}", "lines": [0], "entities": [f"boat {name}" for name in "abcdefgh"]}
        for number in range(12)
    ]
    assert WorkspacePrompts().prompt("memory-extract-facts").read(json.dumps({"facts": found})) == {"facts": found}


@pytest.mark.parametrize(
    "answer", ["", "null", "42", "{}", '{"facts": [3]}', '{"facts": [{"fact": "Ann has 12', "- Ann likes tea"]
)
def test_what_holds_no_list_of_whole_facts_is_asked_for_again(answer: str) -> None:
    with pytest.raises(ModelAnswerError):
        WorkspacePrompts().prompt("memory-extract-facts").read(answer)
