"""The snippet of docs/http-peers.md runs as it stands."""

import re

import pytest

from .conftest import ROOT, Served


def test_the_snippet_of_the_page_finds_what_it_stored(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "http-peers.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    user = served.user()
    exec(snippet.replace('"ana"', repr(user.name)), {"KEY": user.key, "URL": served.url})
    assert capsys.readouterr().out.strip() == "I am allergic to peanuts"


def test_the_page_names_the_versions_that_are_installed() -> None:
    page = (ROOT / "docs" / "http-peers.md").read_text(encoding="utf-8")
    for name, version in re.findall(r"^(mem0ai)==(\S+)$", _requirements(), re.MULTILINE):
        assert f"{name} {version}" in page
    (typescript,) = re.findall(r'"mem0ai": "(\S+)"', (ROOT / "tests" / "clients" / "package.json").read_text("utf-8"))
    assert f"mem0ai {typescript} (npm)" in page


def _requirements() -> str:
    return (ROOT / "tests" / "clients" / "requirements.txt").read_text(encoding="utf-8")
