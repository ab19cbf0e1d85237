"""Files that ship with the package: model catalogue, prompts, blueprint overlay and processor groups."""

import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal, TypedDict

# Importing this folder from the root of the repository would create a second copy of each class.
if __name__ != "trustgraph_react_mem.config":
    raise ImportError("this folder belongs to a package: import trustgraph_react_mem.config", name=__name__)

UNDERSTAND = "memory-understand"
TEMPLATE_PREFIX = "template."  # of the keys of the configuration type "prompt"
REPLACED_PROMPTS = dict.fromkeys(
    (
        "memory-extract-facts",
        "memory-relate-facts",
        "memory-reflect-topics-speaker-1",
        "memory-reflect-topics-speaker-2",
        "memory-update-topics",
        "memory-promote",
        "memory-profile",
    ),
    UNDERSTAND,
)
"""Prompts of earlier versions that nothing asks for any more, each with the one that took its place."""

# The functional form, because "response-type" is not a Python identifier.
PromptEntry = TypedDict(
    "PromptEntry",
    {"prompt": str, "response-type": Literal["text", "json", "jsonl"], "schema": dict[str, Any]},
    total=False,
)


def describe_replaced(prompt_id: str) -> str:
    """The warning for a workspace that still defines a prompt of an earlier version."""
    new = TEMPLATE_PREFIX + REPLACED_PROMPTS[prompt_id]
    return f"the prompt {TEMPLATE_PREFIX}{prompt_id} has no effect any more: {new} took its place"


def read_text(name: str) -> str:
    """The text of a file in this folder, such as ``prompts/system.txt``.  Raises: FileNotFoundError."""
    return files(__name__).joinpath(*name.split("/")).read_text(encoding="utf-8")


def system_prompt() -> str:
    """The default beginning of every prompt.  Constant, so that the prefix cache of a model is used."""
    return read_text("prompts/system.txt").strip()


@functools.cache
def prompts() -> Mapping[str, PromptEntry]:
    """The default prompts by id, in TrustGraph's format (the value of ``prompt``/``template.<id>``)."""
    entries = sorted(files(__name__).joinpath("prompts").iterdir(), key=lambda item: item.name)
    return {each.name.removesuffix(".json"): json.loads(each.read_text("utf-8")) for each in entries if ".json" in each.name}
