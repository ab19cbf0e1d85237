"""The format of the conversation files, and how prompts and scripts are read."""

from pathlib import Path

import pytest

from bench.talk.prompt_text import read_blocks, recalled_text, template_of
from trustgraph_react_mem.processors.operations.prompt_templates import WorkspacePrompts

from .conversation import load_file

GOOD = """
- name: a-name
  title: A title
  proves: What this conversation is meant to prove
  sessions:
    - at: 2026-03-02T09:00:00Z
      turns:
        - say: "No."
          answer: on
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("say:", "sya:", r"x\.yaml, conversation 1 \(a-name\):\n  sessions\.0\.turns\.0\.sya"),
        ('"No."', "12", r"turns\.0\.say: Input should be a valid string"),
        ("09:00:00Z", "09:00:00", "has no zone"),
        ("  title: A title\n", "", "title: Field required"),
        ('- say: "No."', '- say: "No."\n          end: true', "exactly one of say, .* not say, end"),
        ("answer: on", "answer: on\n          answer: off", "line 8: answer is given twice"),
        ("- name", "name", "must hold a list"),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = GOOD.replace(old, new) if old != "- name" else "name: x\n"
    with pytest.raises(ValueError, match=said):
        load_file(write(tmp_path, text))


def test_blocks_are_read_from_the_agent_s_own_template() -> None:
    template = WorkspacePrompts().prompt("agent-react-mem")
    blank = dict.fromkeys(("number", "text", "when", "speaker", "kind", "original"), "")
    terms = {
        "question": "Question: what is it?",
        "memories": [{**blank, "number": "0", "text": "Ann likes tea"}],
        "rules": [{"condition": "always", "action": "be brief"}],
        "exchanges": [{"query": "hello", "result": "hi"}],
        **{key: [] for key in ("tools", "episodes", "history", "instructions")},
        **dict.fromkeys(("context", "now", "condensed", "hint", "tool_names"), ""),
        "cite": True,
    }
    prompt = template.render(terms)
    found = template_of(prompt)
    assert found is not None
    assert found.name == "agent-react-mem"
    blocks = read_blocks(prompt)
    assert "Ann likes tea" in blocks["memories"]
    assert "be brief" in blocks["rules"]
    assert "be brief" not in blocks["memories"]
    assert "hello" in blocks["exchanges"]
    assert blocks["question"] == "Question: what is it?"
    assert "what is it" not in recalled_text(blocks)
