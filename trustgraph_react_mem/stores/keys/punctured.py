"""A secret from which a key can be derived for every tag, except for tags that were punctured.

The keys are the leaves of a binary tree (Goldreich, Goldwasser, Micali: How to construct random functions, 1986).  Each node
gives its two children by a one-way function.  At first only the root is stored.  To puncture a tag, the stored node above its
leaf is replaced by the siblings along the path to the leaf.  They give every other leaf, but not this one.

Deriving a key costs ``DEPTH`` hashes and stores nothing.  A punctured tag costs at most ``DEPTH`` stored nodes.  Two tags share
a leaf with a probability of 2**-DEPTH.
"""

import hashlib
import secrets
from collections.abc import Iterable

NODE_BYTES = 32
DEPTH = 40
_TAG_BYTES = DEPTH // 8
_CHILDREN = (b"left", b"right")

Path = tuple[int, int]  # depth of a node, and the bits that lead to it


class PuncturedKey:
    """The tree.  A ``tag`` has ``DEPTH`` bits."""

    def __init__(self, nodes: dict[Path, bytes]) -> None:
        self._nodes = nodes

    @classmethod
    def generate(cls) -> "PuncturedKey":
        return cls({(0, 0): secrets.token_bytes(NODE_BYTES)})

    @classmethod
    def from_bytes(cls, data: bytes) -> "PuncturedKey":
        """Raises ValueError."""
        size = 1 + _TAG_BYTES + NODE_BYTES
        if len(data) % size:
            raise ValueError("not a punctured key")
        rows = (data[start : start + size] for start in range(0, len(data), size))
        return cls({(row[0], int.from_bytes(row[1 : 1 + _TAG_BYTES])): row[1 + _TAG_BYTES :] for row in rows})

    def to_bytes(self) -> bytes:
        return b"".join(bytes([depth]) + bits.to_bytes(_TAG_BYTES) + node for (depth, bits), node in self._nodes.items())

    def key(self, tag: bytes) -> bytes | None:
        """32 bytes for a tag; None if the tag was punctured."""
        leaf = int.from_bytes(tag)
        above = self._above(leaf)
        if above is None:
            return None
        node = self._nodes[above]
        for depth in range(above[0] + 1, DEPTH + 1):
            node = _child(node, leaf >> (DEPTH - depth) & 1)
        return node

    def puncture(self, tags: Iterable[bytes]) -> "PuncturedKey":
        """The key that remains when these tags are punctured."""
        left = PuncturedKey(dict(self._nodes))
        for tag in tags:
            left._puncture(int.from_bytes(tag))
        return left

    def _puncture(self, leaf: int) -> None:
        above = self._above(leaf)
        if above is None:
            return
        node = self._nodes.pop(above)
        for depth in range(above[0] + 1, DEPTH + 1):
            bits = leaf >> (DEPTH - depth)
            self._nodes[depth, bits ^ 1] = _child(node, (bits ^ 1) & 1)
            node = _child(node, bits & 1)

    def _above(self, leaf: int) -> Path | None:
        """The stored node on the path to the leaf."""
        return next((path for depth in range(DEPTH + 1) if (path := (depth, leaf >> (DEPTH - depth))) in self._nodes), None)


def tag_of(secret: bytes, name: str) -> bytes:
    """The tag of a name.  Without the secret it does not tell the name."""
    return hashlib.blake2b(name.encode(), key=secret, digest_size=_TAG_BYTES, person=b"tag of a turn").digest()


def _child(node: bytes, side: int) -> bytes:
    return hashlib.blake2b(_CHILDREN[side], key=node, digest_size=NODE_BYTES).digest()
