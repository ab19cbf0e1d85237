"""The page that `react-mem report` writes: no memory becomes markup, nothing is loaded, and the rest is counted."""

import base64
import hashlib
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.cli.report.collect import Replacement, Report
from trustgraph_react_mem.cli.report.markup import element, text
from trustgraph_react_mem.cli.report.page import MOST_COLUMNS, group_by_time, render
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema import ConversationMemory, Episode, Fact, JobStatus

from .test_learn_view import rows, state

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</style><style>@import url(http://evil.example/x.css)</style>",
    '" onmouseover="alert(1)',
    "[a](javascript:alert(1)) \u202egnp.exe",
    "<svg/onload=alert(1)>",
    "&lt;b&gt; stays",
]
RECEIPT = {"level": "record", "places": {"graph": {"found": 1, "removed": 1}}}
TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "section",
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "li",
        "strong",
    ),
    *("small", "span", "div", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("svg", "rect", "line", "polyline", "text"),
}


class Page(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def full(words: list[str]) -> Report:
    facts = [Fact(id=str(at), content=each, created_at="2026-11-01T10:00:00Z", uses=at) for at, each in enumerate(words)]
    report = Report(scope=Scope(workspace="default", user=words[0], collection=words[0]), made_at=NOW)
    report.counts = {"semantic": len(facts) + 3, "turn": 1, "procedural": 1}
    report.memories = report.dated = facts
    report.turns = [Fact(content=words[0], kind="turn", speaker=words[0], created_at="2026-11-03T10:00:00Z")]
    report.rules = [Fact(content=words[0], kind="procedural")]
    report.profile = Fact(content=words[0])
    report.changes = [Replacement(old=fact, new=None) for fact in facts]
    report.episodes = [Episode(goal=each, outcome=each, lessons=each) for each in words]
    report.episode_count, report.conversation_count = 9, 4
    report.conversations = [ConversationMemory(conversation_id=words[0])]
    learned: dict[str, Any] = state(rows())
    report.learning = learned | {"policy": learned["policy"] | {"features": {words[0]: 0.5, "age": -0.2}}}
    report.jobs = [
        JobStatus(id="1", kind="extract", status="done", updated_at="2026-11-01T10:00:00Z"),
        JobStatus(
            id="2", kind="forget", status="done", summary='{"level": "record", "places": {"graph": {"found": 1, "removed": 1}}}'
        ),
    ]
    report.stages_ms = {"recall": [12.0, 14.0], words[0]: [1.0]}
    return report


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_memory_becomes_markup(hostile: str) -> None:
    page = Page(render(full([hostile, "plain"])))
    assert {tag for tag, _ in page.tags} <= TAGS
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("href", "src", "style", "xlink:href")], tag
    assert hostile.replace("\u202e", "U+202E") in page.words


def test_the_page_loads_nothing_and_its_policy_allows_its_own_style_alone() -> None:
    page = render(full(["Miso eats fish"]))
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert found
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert found[1] == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert re.findall(r"\b(?:https?:)?//\w", page) == []
    assert page.count("<style>") == 1
    assert "<script" not in page


def test_the_page_says_what_it_leaves_out() -> None:
    report = full(["Miso eats fish"])
    report.held_back, report.undone, report.switched_off = 1, 500, 2
    words = Page(render(report)).words
    for wanted in (
        "3 memories of 6 not listed",
        "1 memory held back",
        "500 or more memories undone",
        "2 records of conversations in which reading is switched off",
        "3 of 4 conversations not examined",
        "record: 1 entry found and removed (graph 1)",
        "recall13.0 ms",
    ):
        assert wanted in words


def test_an_empty_scope_gives_a_page_that_says_so() -> None:
    words = Page(render(Report(scope=Scope(workspace="default", user="", collection="default"), made_at=NOW))).words
    for wanted in (
        "everyone (shared)",
        "Nothing is remembered",
        "Nothing has changed",
        "nothing learned yet",
        "Nothing was spent",
    ):
        assert wanted in words


@given(st.lists(st.integers(0, 40_000), min_size=1, max_size=40))
def test_every_moment_is_in_one_column_of_a_bounded_number(days: list[int]) -> None:
    moments = [datetime(1950, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in days]
    _, columns = group_by_time(moments)
    assert sum(number for _, number in columns) == len(moments)
    assert len(columns) <= MOST_COLUMNS + 1


@given(st.text(), st.text())
def test_text_and_attributes_are_never_markup(words: str, value: str) -> None:
    page = Page(element("p", words, title=value))
    assert [tag for tag, _ in page.tags] == ["p"]
    assert not set("<>\"'") & set(text(words))
