"""The embedder on a real engine with a tiny model: a table of word vectors, made here."""

import asyncio
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

from bench.embedding import NEAR_MISSES
from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.memory.embedding import PROFILES, EmbeddingProfile
from trustgraph_react_mem.models import quantise
from trustgraph_react_mem.models.calibration import PARAPHRASES
from trustgraph_react_mem.models.onnx_embedder import OnnxEmbedder

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


async def test_a_batch_gives_what_each_text_alone_gives(embedder: OnnxEmbedder) -> None:
    many = texts(300)
    together = await embedder.vectors(many)
    alone = np.concatenate([await embedder.vectors([text]) for text in many])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert together.shape == (300, DIMENSION)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)


async def test_a_question_overtakes_a_bank(embedder: OnnxEmbedder) -> None:
    bank = asyncio.create_task(embedder.vectors([" ".join(["w9"] * 500)] * 3000))
    await asyncio.sleep(0)
    await embedder.vectors(["w1"])
    assert not bank.done()
    assert (await bank).shape == (3000, DIMENSION)


async def test_tokens_are_those_of_the_text_without_the_prefix(embedder: OnnxEmbedder) -> None:
    many = [f"w2 {text}" for text in texts(40)]
    together, signs = await embedder.vectors_and_tokens(many)
    np.testing.assert_allclose(together, await embedder.vectors(many), atol=1e-6)
    for text, row in zip(many, signs, strict=True):
        alone = (await embedder.vectors_and_tokens([text]))[1][0]
        np.testing.assert_array_equal(alone, row)
    asked = (await embedder.vectors_and_tokens(["w1 w7"]))[1][0]
    np.testing.assert_array_equal(asked, (await embedder.vectors_and_tokens(["w2 w7"]))[1][0])


def test_a_file_that_is_no_model_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelUnavailable, match="delete the folder"):
        OnnxEmbedder(PROFILE, tmp_path / "model.onnx", folder / "tokenizer.json")


@pytest.mark.parametrize(("least", "kept"), [(0.9, True), (1.1, False)])
def test_the_int8_form_is_kept_only_when_it_is_as_good(folder: Path, tmp_path: Path, least: float, kept: bool) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    lowest = quantise.quantise(tmp_path, PROFILE, least_cosine=least)
    assert 0.9 < lowest < 1.1
    form = tmp_path / quantise.FORM_NAME
    assert asyncio.run(quantise.find_quantised(tmp_path, PROFILE)) == (form if kept else None)


def test_every_profile_spreads_its_scale() -> None:
    for profile in PROFILES.values():
        assert profile.calibrate(profile.unrelated) == 0.0
        assert profile.calibrate(1.0) == 1.0
        assert 0.0 < profile.calibrate(profile.near_duplicate) < 1.0
    assert len(NEAR_MISSES) == len(PARAPHRASES)
