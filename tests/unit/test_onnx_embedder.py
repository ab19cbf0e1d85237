"""The embedder on a real engine with a tiny model: a table of word vectors, made here."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

from bench.embedding import NEAR_MISSES
from trustgraph_react_mem.errors import ConfigurationError, ModelUnavailable
from trustgraph_react_mem.memory.embedding import PROFILES, EmbeddingProfile
from trustgraph_react_mem.models import quantise
from trustgraph_react_mem.models.calibration import PARAPHRASES, UNRELATED, calibrate_profile
from trustgraph_react_mem.models.embedder import RoleEmbedder, open_embedding_model
from trustgraph_react_mem.models.onnx_embedder import BATCH_TOKENS, OnnxEmbedder, _batches
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.later

DIMENSION = 64
WORDS = ["[UNK]", *(f"w{number}" for number in range(200))]
PROFILE = EmbeddingProfile(name="tiny", dimension=DIMENSION, query_prefix="w1 ", passage_prefix="w2 ")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``last_hidden_state`` = a word's vector through one matrix; padding would spoil the mean if it were counted."""
    place = tmp_path_factory.mktemp("tiny")
    rng = np.random.default_rng(3)
    table = rng.standard_normal((len(WORDS), DIMENSION)).astype(np.float32)
    matrix = rng.standard_normal((DIMENSION, DIMENSION)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["looked_up"]),
            helper.make_node("MatMul", ["looked_up", "matrix"], ["last_hidden_state"]),
        ],
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "s", DIMENSION])],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(matrix, "matrix")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, place / "model.onnx")
    tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(place / "tokenizer.json"))
    return place


@pytest.fixture
def embedder(folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(PROFILE, folder / "model.onnx", folder / "tokenizer.json", cores=2)


def texts(count: int) -> list[str]:
    return [" ".join(f"w{(row * 7 + place) % 200}" for place in range(1 + row % 40)) for row in range(count)]


def test_the_engine_keeps_no_telemetry(folder: Path, tmp_path: Path) -> None:
    """Where it is on, the engine keeps what it will send in a database below the home directory."""
    program = (
        "import sys; from pathlib import Path\n"
        "from trustgraph_react_mem.models.quantise import _embed\n"
        "_embed(Path(sys.argv[1]) / 'model.onnx', Path(sys.argv[1]) / 'tokenizer.json')"
    )
    hidden = ("ORT_DISABLE_TELEMETRY", "CI", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | {"HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program, str(folder)], env=environment, check=True, timeout=300)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


async def test_a_batch_gives_what_each_text_alone_gives(embedder: OnnxEmbedder) -> None:
    many = texts(300)
    together = await embedder.vectors(many)
    alone = np.concatenate([await embedder.vectors([text]) for text in many])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert together.shape == (300, DIMENSION)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)


async def test_nothing_gives_nothing_and_the_longest_text_is_cut(embedder: OnnxEmbedder) -> None:
    assert (await embedder.vectors([])).shape == (0, DIMENSION)
    long = " ".join(["w5"] * 20_000)
    np.testing.assert_allclose(await embedder.vectors([long]), await embedder.vectors(["w5"]), atol=1e-5)


async def test_a_question_overtakes_a_bank(embedder: OnnxEmbedder) -> None:
    bank = asyncio.create_task(embedder.vectors([" ".join(["w9"] * 500)] * 3000))
    await asyncio.sleep(0)
    await embedder.vectors(["w1"])
    assert not bank.done()
    assert (await bank).shape == (3000, DIMENSION)


async def test_a_question_overtakes_recorded_turns(embedder: OnnxEmbedder) -> None:
    turns = [asyncio.create_task(embedder.vectors([" ".join(["w9"] * 500)] * 4)) for _ in range(200)]
    await asyncio.sleep(0)
    await embedder.vectors(["w1"])
    assert sum(turn.done() for turn in turns) < len(turns) / 2
    await asyncio.gather(*turns)


async def test_parts_of_a_recall_that_ask_at_once_share_a_run(embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    await embedder.vectors_and_tokens(["w3"])  # from now on, vectors come with tokens
    runs: list[int] = []
    states = embedder._states

    def counted(encoded: Sequence[Any]) -> Any:
        runs.append(len(encoded))
        return states(encoded)

    monkeypatch.setattr(embedder, "_states", counted)
    asked = [asyncio.create_task(embedder.vectors_and_tokens(["w1 w7"])) for _ in range(3)]
    await asyncio.sleep(0)
    asked.pop().cancel()  # one part was too slow
    (vectors, _), (others, _) = await asyncio.gather(*asked)
    np.testing.assert_array_equal(vectors, others)
    np.testing.assert_array_equal(vectors, await embedder.vectors(["w1 w7"]))
    assert runs == [1]


async def test_a_question_whose_run_failed_is_embedded_again(embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = await embedder.vectors_and_tokens(["w3"])

    def broken(encoded: Sequence[Any]) -> Any:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(embedder, "_states", broken)
        with pytest.raises(RuntimeError):
            await embedder.vectors(["w4"])
    assert (await embedder.vectors(["w4"])).shape == expected.shape


async def test_the_prefix_of_the_role_is_added(embedder: OnnxEmbedder) -> None:
    roles = RoleEmbedder(embedder)
    np.testing.assert_array_equal(await roles.embed(["w7"], role="query"), await embedder.vectors(["w1 w7"]))
    np.testing.assert_array_equal(await roles.embed(["w7"], role="passage"), await embedder.vectors(["w2 w7"]))


async def test_tokens_are_those_of_the_text_without_the_prefix(folder: Path) -> None:
    wide = EmbeddingProfile(name="tiny", dimension=DIMENSION, query_prefix="w1 ", passage_prefix="w2 ")
    model = OnnxEmbedder(wide, folder / "model.onnx", folder / "tokenizer.json", cores=2)
    many = [f"w2 {text}" for text in texts(40)]
    together, signs = await model.vectors_and_tokens(many)
    np.testing.assert_allclose(together, await model.vectors(many), atol=1e-6)
    for text, row in zip(many, signs, strict=True):
        alone = (await model.vectors_and_tokens([text]))[1][0]
        np.testing.assert_array_equal(alone, row)
    asked = (await model.vectors_and_tokens(["w1 w7"]))[1][0]
    np.testing.assert_array_equal(asked, (await model.vectors_and_tokens(["w2 w7"]))[1][0])


@pytest.mark.parametrize("lengths", [[], [1], [512] * 9, list(range(1, 200)), [5, 500, 5, 500]])
def test_batches_hold_each_row_once_and_bounded(lengths: Sequence[int]) -> None:
    batches = list(_batches(lengths))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[row] for row in batch) <= BATCH_TOKENS for batch in batches)


def test_another_dimension_is_a_configuration_error(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="384 dimensions"):
        OnnxEmbedder(PROFILES["e5-small-v2"], folder / "model.onnx", folder / "tokenizer.json")


def test_a_file_that_is_no_model_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailable, match="delete the folder"):
        OnnxEmbedder(PROFILE, tmp_path / "model.onnx", folder / "tokenizer.json")


@pytest.mark.parametrize(("least", "kept"), [(0.9, True), (1.1, False)])
def test_the_int8_form_is_kept_only_when_it_is_as_good(folder: Path, tmp_path: Path, least: float, kept: bool) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    lowest = quantise.quantise(tmp_path, least_cosine=least)
    assert 0.9 < lowest < 1.1
    assert (quantise.find_quantised(tmp_path) is not None) is kept
    assert (tmp_path / quantise.FORM_NAME).exists() is kept


async def test_an_unknown_choice_names_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="multilingual-e5-small"):
        await open_embedding_model("e6", env={})


async def test_calibration_tells_the_same_from_the_unrelated() -> None:
    model = HashedEmbedder(dimension=4096)
    rows = await model.vectors([*UNRELATED, *(text for pair in PARAPHRASES for text in pair)])
    profile = calibrate_profile("hashed", rows)
    assert 0.0 <= profile.unrelated < 0.3 < profile.near_duplicate <= 1.0


def test_every_profile_spreads_its_scale() -> None:
    for profile in PROFILES.values():
        assert profile.calibrate(profile.unrelated) == 0.0
        assert profile.calibrate(1.0) == 1.0
        assert 0.0 < profile.calibrate(profile.near_duplicate) < 1.0
    assert len(NEAR_MISSES) == len(PARAPHRASES)
