"""Reads a rendered prompt: which template it comes from, and what each block of it holds.

The markers are taken from the templates themselves, so that a new heading or a new block needs no change here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from trustgraph_react_mem.config import prompts

AGENT = "agent-react-mem"
LEAST_MARKER = 4  # letters; shorter texts between tags of a template mark nothing
_LIST = re.compile(r"(?:%\}|^)([^{}]*)\{%\s*for\s+\w+\s+in\s+(\w+)\s*%\}")
_VALUE = re.compile(r"(?:%\}|\}\})([^{}]+)\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Template:
    """``prefix``: the constant text that it starts with.  ``markers``: (block, text in front of it), in their order."""

    name: str
    prefix: str
    markers: tuple[tuple[str, str], ...]


@cache
def templates() -> tuple[Template, ...]:
    return tuple(_read(name, entry["prompt"]) for name, entry in prompts().items())


def _read(name: str, text: str) -> Template:
    prefix = re.split(r"\{\{|\{%", text, maxsplit=1)[0]
    found = [(match.start(2), match.group(2), match.group(1)) for kind in (_LIST, _VALUE) for match in kind.finditer(text)]
    markers = [(block, marker.strip()) for _, block, marker in sorted(found)]
    return Template(name, prefix, tuple(each for each in markers if len(re.findall(r"[^\W\d_]", each[1])) >= LEAST_MARKER))


def template_of(prompt: str) -> Template | None:
    """The template with the longest constant start that the prompt has.  None: a prompt of the configuration."""
    fitting = [each for each in templates() if each.prefix.strip() and prompt.startswith(each.prefix)]
    return max(fitting, key=lambda each: len(each.prefix), default=None)


def read_blocks(prompt: str) -> Mapping[str, str]:
    """Block -> its text, in the order of the prompt.  ``question`` is the last one."""
    template = template_of(prompt)
    if template is None:
        return {"question": prompt}
    starts: list[tuple[int, int, str]] = []
    at = len(template.prefix)
    *inner, last = template.markers
    end = prompt.rfind(f"\n{last[1]}")
    for block, marker in inner:
        found = prompt.find(f"\n{marker}", at, end)
        if found >= 0:
            at = found + 1 + len(marker)
            starts.append((found, at, block))
    starts.append((end, end + 1 + len(last[1]), last[0]))
    ends = [found for found, _, _ in starts[1:]] + [len(prompt)]
    return {block: prompt[begin:stop].strip() for (_, begin, block), stop in zip(starts, ends, strict=True)}


def recalled_text(blocks: Mapping[str, str]) -> str:
    """What memory added to the prompt: all blocks but the tools, the date, the instructions and the question."""
    return "\n\n".join(text for block, text in blocks.items() if block not in FIXED)


FIXED = ("tools", "tool_names", "context", "now", "question", "hint")
