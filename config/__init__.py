"""Configuration that ships with the package: model catalogue, prompts, defaults, blueprint overlay, processor groups."""

import functools
import json
from importlib.resources import files
from typing import Any, Literal, TypedDict, cast

# Imported from the repository's root this would be a second copy of each of its classes.
if __name__ != "trustgraph_react_mem.config":
    raise ImportError("this folder belongs to a package: import trustgraph_react_mem.config", name=__name__)

PROMPT_KEYS = frozenset({"prompt", "response-type", "schema", "comment"})
RESPONSE_TYPES = ("text", "json", "jsonl")

# "response-type" is not a Python name, hence the functional form.
PromptEntry = TypedDict(
    "PromptEntry",
    {"prompt": str, "response-type": Literal["text", "json", "jsonl"], "schema": dict[str, Any]},
    total=False,
)


def text(name: str) -> str:
    """A file of this folder, such as ``prompts/system.txt``.

    Raises:
        FileNotFoundError: the package holds no such file.
    """
    return files(__name__).joinpath(*name.split("/")).read_text(encoding="utf-8")


def data(name: str) -> Any:
    """A JSON file of this folder."""
    return json.loads(text(name))


def system_prompt() -> str:
    """What every prompt begins with, when the workspace says nothing else.  Constant, so that prefix caches hold."""
    return text("prompts/system.txt").strip()


@functools.cache
def _prompts() -> dict[str, PromptEntry]:
    found: dict[str, PromptEntry] = {}
    for entry in sorted(files(__name__).joinpath("prompts").iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".json"):
            found[entry.name.removesuffix(".json")] = _checked(entry.name, json.loads(entry.read_text(encoding="utf-8")))
    return found


def _checked(name: str, raw: Any) -> PromptEntry:
    if not isinstance(raw, dict) or not isinstance(raw.get("prompt"), str):
        raise ValueError(f"prompts/{name}: must be an object with a text 'prompt'")
    unknown = raw.keys() - PROMPT_KEYS
    if unknown:
        raise ValueError(f"prompts/{name}: unknown keys {sorted(unknown)}; known: {sorted(PROMPT_KEYS)}")
    if raw.get("response-type", "text") not in RESPONSE_TYPES:
        raise ValueError(f"prompts/{name}: response-type {raw['response-type']!r} is none of {', '.join(RESPONSE_TYPES)}")
    return cast(PromptEntry, {"response-type": "text"} | {key: value for key, value in raw.items() if key != "comment"})


def prompts() -> dict[str, PromptEntry]:
    """The default prompts by id, in TrustGraph's form (the value of ``prompt``/``template.<id>``).

    Raises:
        ValueError: a file holds something else, with its name and what is wrong.
    """
    return dict(_prompts())


def prompt(prompt_id: str) -> PromptEntry:
    """Raises KeyError when no default has this id."""
    return _prompts()[prompt_id]
