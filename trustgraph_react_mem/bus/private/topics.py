"""Names and MACs of topics.  The embedded broker checks no credentials, so a secret does it.

Invariants:
- A topic with a secret is in a namespace whose name cannot be guessed, and each of its messages carries a MAC over topic,
  properties and body.  A message with another MAC is dropped before any of it is decoded.
- Requests, replies and notifications have the secret of one start of the stack.  Topics that outlive the stack, such as that of
  the jobs, have a key that stays the same, so that their backlog is found again.
- Without a secret, names and messages are those of TrustGraph.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...memory.derived_key import derive_key
from ...schema.topics import JOBS
from .. import trustgraph_adapter

MAC = "mac"  # property of a message
JOB_TOPICS = f"flow:tg:{JOBS}:"


@dataclass(frozen=True, slots=True)
class Guard:
    """One topic: its address at the broker, and the check of its messages.  An empty key accepts every message.

    ``topic``: its public name, for error messages and logs, because those who know the address can listen.
    """

    topic: str
    address: str = field(repr=False)
    key: bytes = field(repr=False)

    def sign(self, data: bytes, properties: Mapping[str, str]) -> dict[str, str]:
        """The properties of a message, with its MAC."""
        return {**properties, MAC: self._mac(data, properties)} if self.key else dict(properties)

    def accepts(self, data: bytes, properties: Mapping[str, str]) -> bool:
        """Whether a holder of the secret sent this message to this topic."""
        if not self.key:
            return True
        # As bytes: compare_digest refuses text that is not ASCII, and the property is whatever was sent.
        given = properties.get(MAC, "").encode("utf-8", "replace")
        return hmac.compare_digest(given, self._mac(data, properties).encode())

    def _mac(self, data: bytes, properties: Mapping[str, str]) -> str:
        others = sorted((name, value) for name, value in properties.items() if name != MAC)
        head = repr((self.address, others)).encode("utf-8", "surrogatepass")
        return hmac.digest(self.key, head + b"\n" + data, "sha256").hex()


@dataclass(frozen=True, slots=True)
class TopicSecrets:
    """``start``: of one start of a stack.  ``lasting``: for topics that outlive it; clients do not have it.  Empty: public."""

    start: bytes = field(default=b"", repr=False)
    lasting: bytes = field(default=b"", repr=False)

    def guard(self, topic: str) -> Guard:
        """``topic``: in trustgraph-base's format ``class:space:name``.  Raises: ValueError (another format)."""
        address = trustgraph_adapter.topic_address(topic)
        secret = self._secret(topic)
        if not secret:
            return Guard(topic, address, b"")
        scheme, _, place = address.partition("://")
        space, kind, name = place.split("/", 2)
        hidden = derive_key(secret, "namespace").hex()[:32]
        return Guard(topic, f"{scheme}://{space}/{kind}-{hidden}/{name}", derive_key(secret, "messages"))

    def _secret(self, topic: str) -> bytes:
        if topic.startswith(JOB_TOPICS) or (self.start and topic.startswith("flow:")):
            return self.lasting
        return self.start


PUBLIC = TopicSecrets()
