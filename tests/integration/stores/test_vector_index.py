"""What every VectorIndex does."""

import contextlib

import numpy as np
import pytest

from tests.integration.stores.stores_support import ANN, BOB, PROFILE
from trustgraph_react_mem.errors import BadRequest, ConfigurationError
from trustgraph_react_mem.memory.ports import IndexPoint, SparseVector, Vector, VectorIndex
from trustgraph_react_mem.memory.scope import Scope

OTHER_WORKSPACE = Scope(workspace="v", user="ann", collection="default")


def axis(place: int, tilt: float = 0.0) -> Vector:
    vector = np.zeros(PROFILE.dimension, dtype=np.float32)
    vector[place] = 1.0
    vector[(place + 1) % PROFILE.dimension] = tilt
    return vector / np.linalg.norm(vector).astype(np.float32)


def words(*terms: int) -> SparseVector:
    return SparseVector(indices=terms, values=tuple(1.0 for _ in terms))


def point(record_id: str, place: int = 0, tilt: float = 0.0, terms: tuple[int, ...] = (1,), /, **payload: object) -> IndexPoint:
    return IndexPoint(
        id=record_id,
        vectors={"text": axis(place, tilt)},
        sparse={"words": words(*terms)},
        payload={"content": f"content of {record_id}", **payload},  # type: ignore[dict-item]
    )


async def test_a_point_comes_back_whole(index: VectorIndex) -> None:
    full = IndexPoint(
        id='it\'s "x" / 東京',
        vectors={"text": axis(3, 0.5), "context": axis(4)},
        sparse={"words": words(7, 4_000_000_000), "words_context": SparseVector(indices=(9,), values=(0.25,))},
        payload={"content": "ü \" ' {}", "turn_ids": ["a", "b"], "position": 3, "importance": 0.5, "none": None, "yes": True},
    )
    await index.upsert(ANN, [full])
    (found,) = await index.fetch(ANN, [full.id, "unknown"], with_vectors=True)
    assert (found.id, found.payload) == (full.id, full.payload)
    assert set(found.vectors) == {"text", "context"}
    for name, vector in full.vectors.items():
        np.testing.assert_allclose(found.vectors[name], vector, atol=2**-11)  # 16 bits
    assert {name: dict(zip(s.indices, s.values, strict=True)) for name, s in found.sparse.items()} == {
        "words": {7: 1.0, 4_000_000_000: 1.0},
        "words_context": {9: 0.25},
    }
    (bare,) = await index.fetch(ANN, [full.id])
    assert bare.vectors == {}


async def test_an_upsert_replaces_the_whole_point(index: VectorIndex) -> None:
    await index.upsert(ANN, [point("a", 0, old=1)])
    await index.upsert(ANN, [point("a", 5, 0.0, (), new=2)])
    (found,) = await index.fetch(ANN, ["a"], with_vectors=True)
    assert found.payload == {"content": "content of a", "new": 2}
    assert found.sparse == {}
    assert found.vectors["text"][5] == pytest.approx(1.0)
    assert await index.count(ANN) == 1


async def test_dense_search_ranks_by_cosine(index: VectorIndex) -> None:
    await index.upsert(ANN, [point("far", 8), point("near", 0, 0.1), point("same", 0), point("middle", 0, 1.0)])
    hits = await index.search_dense(ANN, "text", axis(0), limit=3)
    assert [hit.id for hit in hits] == ["same", "near", "middle"]
    assert hits[0].score == pytest.approx(1.0, abs=1e-5)
    assert hits[2].score == pytest.approx(0.7071, abs=1e-3)
    assert hits[0].payload == {"content": "content of same"}
    assert await index.search_dense(ANN, "context", axis(0), limit=3) == []
    assert await index.search_dense(ANN, "text", axis(0), limit=0) == []


async def test_sparse_search_weighs_rare_words_more(index: VectorIndex) -> None:
    await index.upsert(ANN, [point("common", 0, 0.0, (1,)), point("rare", 0, 0.0, (2,)), *(point(f"n{n}") for n in range(8))])
    hits = await index.search_sparse(ANN, "words", words(1, 2), limit=2)
    assert hits[0].id == "rare"
    assert hits[0].score > hits[1].score > 0
    assert await index.search_sparse(ANN, "words", words(), limit=5) == []
    assert await index.search_sparse(ANN, "words", words(99), limit=5) == []


async def test_match_allows_the_values_named(index: VectorIndex) -> None:
    await index.upsert(
        ANN, [point("a", kind="turn", status="active"), point("b", kind="topic", status="active"), point("c", kind="turn")]
    )
    found = await index.search_dense(ANN, "text", axis(0), limit=9, match={"kind": ["turn", "x"], "status": ["active"]})
    assert [hit.id for hit in found] == ["a"]
    found = await index.search_sparse(ANN, "words", words(1), limit=9, match={"kind": ["topic"]})
    assert [hit.id for hit in found] == ["b"]
    assert await index.search_dense(ANN, "text", axis(0), limit=9, match={"kind": []}) == []


async def test_deletes_count_what_was_there(index: VectorIndex) -> None:
    await index.upsert(ANN, [point("a"), point("b"), point("c")])
    assert await index.delete(ANN, ["a", "a", "nope"]) == 1
    assert await index.delete(ANN, ["a"]) == 0
    assert await index.delete(ANN, []) == 0
    assert await index.count(ANN) == 2
    assert await index.delete_scope(ANN) == 2
    assert await index.delete_scope(ANN) == 0
    assert await index.search_dense(ANN, "text", axis(0), limit=9) == []


async def test_a_payload_cannot_claim_another_scope(index: VectorIndex) -> None:
    await index.upsert(ANN, [point("a", scope=BOB.key, workspace="v", record_id="forged")])
    assert await index.count(BOB) == 0
    (hit,) = await index.search_dense(ANN, "text", axis(0), limit=9)
    assert (hit.id, hit.payload) == ("a", {"content": "content of a"})
    assert await index.scopes() == {ANN: 1}


async def test_scan_yields_every_point_once(index: VectorIndex) -> None:
    await index.upsert(ANN, [point(f"p{n}") for n in range(25)])
    batches = [batch async for batch in index.scan(ANN, with_vectors=True, batch=10)]
    assert [len(batch) for batch in batches] == [10, 10, 5]
    assert {found.id for batch in batches for found in batch} == {f"p{n}" for n in range(25)}
    assert all(found.vectors["text"][0] == pytest.approx(1.0) for batch in batches for found in batch)
    assert [batch async for batch in index.scan(BOB)] == []


@pytest.mark.parametrize(
    ("bad", "error", "says"),
    [
        (IndexPoint(id="x", vectors={"text": np.ones(3, np.float32)}), ConfigurationError, "16"),
        (IndexPoint(id="x", vectors={"text": np.ones((1, 16), np.float32)}), ConfigurationError, "16"),
        (IndexPoint(id="x", vectors={"nose": axis(0)}), BadRequest, "nose"),
        (IndexPoint(id="x", vectors={"text": np.full(16, np.nan, np.float32)}), BadRequest, "NaN"),
        (IndexPoint(id="x", vectors={}, sparse={"words": SparseVector(indices=(1, 1), values=(1, 1))}), BadRequest, "once"),
        (IndexPoint(id="x", vectors={}, sparse={"ears": words(1)}), BadRequest, "ears"),
    ],
)
async def test_a_bad_point_is_refused_and_nothing_is_stored(
    index: VectorIndex, bad: IndexPoint, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        await index.upsert(ANN, [point("good"), bad])
    assert await index.count(ANN) == 0


async def test_scopes_are_told_with_their_points(index: VectorIndex) -> None:
    assert await index.scopes() == {}
    await index.upsert(ANN, [point("a"), point("b")])
    await index.upsert(OTHER_WORKSPACE, [point("a")])
    await index.delete(ANN, ["b"])
    assert await index.scopes() == {ANN: 1, OTHER_WORKSPACE: 1}
    await index.delete_scope(ANN)
    assert await index.scopes() == {OTHER_WORKSPACE: 1}


async def test_asking_for_an_ill_formed_id_or_source_blames_the_request(index: VectorIndex) -> None:
    await index.upsert(ANN, [point("a")])
    with contextlib.suppress(BadRequest):  # some find nothing
        assert await index.fetch(ANN, ["cut \ud83d"]) == []
    with contextlib.suppress(BadRequest):
        assert await index.search_dense(ANN, "text", axis(0), limit=3, match={"source": ["cut \ud83d"]}) == []
