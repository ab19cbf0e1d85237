"""The harness of ``make peers``, with a small made-up file and a memory that needs no environment."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.peers import __main__ as command
from bench.peers import measured, page, picture
from bench.peers.measured import File
from bench.peers.products import OURS, PRODUCTS, Product
from tests.doubles.token_embedder import WordTokenEmbedder
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.later

SHARED_WORDS = Product("shared-words", "words", "tests.doubles.peer")
BROKEN = Product("broken", "broken", "tests.doubles.broken_peer")


def dialogue(name: str, fruit: str) -> dict[str, Any]:
    said = [("Ana", f"I planted a {fruit} tree"), ("Ben", "The train was late"), ("Ana", "   "), ("Ben", "My sister sings")]
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": speaker, "dia_id": f"D1:{number}", "text": text} for number, (speaker, text) in enumerate(said, 1)
            ],
        },
        "qa": [
            {"question": "Which tree was planted?", "answer": fruit, "category": 4, "evidence": ["D1:1"]},
            {"question": "Who sings and who was late?", "answer": "sister", "category": 1, "evidence": ["D1:2", "D1:4"]},
            {"question": "Who was adversarial?", "answer": "", "category": 5, "evidence": ["D1:2"]},
            {"question": "What is not said?", "answer": "", "category": 4, "evidence": []},
        ],
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measured, "FOLDER", tmp_path / "peers")
    path = tmp_path / "made-up.json"
    path.write_text(json.dumps([dialogue("one", "plum"), dialogue("two", "pear")]), encoding="utf-8")
    return path


def test_a_product_gets_the_turns_with_words_and_the_questions_with_evidence(data: Path) -> None:
    (file,) = command.read_files(str(data), "", 0)
    assert (file.name, file.memories, file.questions, len(file.work)) == ("made-up", 6, 4, 2)
    assert [turn["id"] for turn in file.work[0]["sessions"]["session_1"]] == ["D1:1", "D1:2", "D1:4"]
    (short,) = command.read_files(str(data), "Made up", 1)
    assert (short.name, len(short.work)) == ("Made up", 1)


async def test_a_product_is_measured_once_and_a_failed_one_is_named(data: Path) -> None:
    files = command.read_files(str(data), "", 0)
    found, missing = await command.compare([SHARED_WORDS, BROKEN], files, HashedEmbedder(64))
    figures = found["made-up"]["shared-words"]
    assert figures["coverage@5"] == 100  # each dialogue has three turns, and only its own are found
    assert figures["embedded_per_memory"] == 1
    assert (figures["memories"], figures["questions"]) == (6, 4)
    assert figures["disk_bytes"] > 0
    assert figures["search_ms"]["p95"] >= figures["search_ms"]["p50"] >= 0
    assert list(found["made-up"]) == ["shared-words"]
    assert len(missing) == 1
    assert "broken ended with exit code" in missing[0]
    (kept,) = (data.parent / "peers" / "results").glob("shared-words-*.json")
    before = kept.stat().st_mtime_ns
    again, _ = await command.compare([SHARED_WORDS], files, HashedEmbedder(64))
    assert again["made-up"]["shared-words"] == figures
    assert kept.stat().st_mtime_ns == before


async def test_ours_is_asked_through_the_endpoint_like_the_others(data: Path) -> None:
    files = command.read_files(str(data), "", 1)
    found, missing = await command.compare([OURS], files, WordTokenEmbedder())
    assert missing == []
    figures = found["made-up"]["ours"]
    assert figures["coverage@5"] == 100
    assert figures["embedded_per_memory"] >= 1
    assert figures["tokens@5"] > 0


def figures_of(coverage: float, ms: float) -> dict[str, Any]:
    each = {f"coverage@{k}": [coverage, coverage] for k in (5, 10, 20)}
    return {
        "version": "1.0",
        "memories": 100,
        **{f"coverage@{k}": coverage for k in (5, 10, 20)},
        **{f"tokens@{k}": 10.0 * k for k in (5, 10, 20)},
        "each": each,
        "store_ms": {"p50": ms, "p95": 2 * ms},
        "search_ms": {"p50": ms, "p95": 2 * ms},
        "embedded_per_memory": 1.0,
        "disk_bytes": 200_000,
        "memory_mb": ms,
    }


def test_the_table_has_differences_ratios_and_what_is_missing() -> None:
    files = [File("made-up", [])]
    found = {"made-up": {"ours": figures_of(80, 4), "mem0": figures_of(60, 8)}}
    text = page.tables(files, found, "a model", ["made-up: LangGraph could not be installed"])
    assert "| mem0, `infer=False` | 60.0 | 60.0 | 60.0 | +20.0 (+20.0 to +20.0) | 100 |" in text
    assert "| mem0, `infer=False` | 8.00, 16.00 ms | 2 | 8.0, 16.0 ms | 2 | 1.0 | 2.0 kB | 8 MB |" in text
    assert "Not measured: made-up: LangGraph could not be installed" in text


def test_only_the_measured_part_of_the_page_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "comparison.md"
    path.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n", encoding="utf-8")
    page.write("new", path)
    assert path.read_text(encoding="utf-8") == f"before\n{page.BEGIN}\nnew\n{page.END}\nafter\n"
    path.write_text("no place", encoding="utf-8")
    with pytest.raises(ValueError, match="has no lines"):
        page.write("new", path)


def test_the_page_of_the_project_has_a_place_for_the_figures() -> None:
    text = (Path(__file__).parents[2] / page.PAGE).read_text(encoding="utf-8")
    assert text.index(page.BEGIN) < text.index(page.END)


def test_a_picture_names_every_product(tmp_path: Path) -> None:
    found = {"made-up": {"ours": figures_of(80, 4), "mem0": figures_of(60, 8)}}
    picture.draw([File("made-up", [])], found, tmp_path / "comparison.svg")
    assert "this package" in (text := (tmp_path / "comparison.svg").read_text(encoding="utf-8"))
    assert "mem0, infer=False" in text


def test_wrong_input_is_refused_with_what_is_possible(data: Path) -> None:
    with pytest.raises(BadRequest, match="'zep' is not one of ours, mem0"):
        command.chosen("zep")
    assert command.chosen("") == list(PRODUCTS)
    with pytest.raises(BadRequest, match="a different name for each of the 1 files"):
        command.read_files(str(data), "a,b", 0)
    empty = data.with_name("empty.json")
    empty.write_text(json.dumps([{**dialogue("one", "plum"), "qa": []}]), encoding="utf-8")
    with pytest.raises(BadRequest, match="no question with evidence"):
        command.read_files(str(empty), "", 0)
