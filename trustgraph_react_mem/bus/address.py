"""Address of a message bus: a broker, or the socket of a stack on this machine."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import BadRequest

SCHEMES = ("pulsar", "pulsar+ssl")
SOCKET = "unix://"
_HOST = r"(?:\[[\da-fA-F:.]+\]|[^\s:,/\[\]]+)(?::\d+)?"
_HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*/?")


def is_broker_address(url: str, schemes: Collection[str] = SCHEMES) -> bool:
    """Whether Pulsar's client takes this address: a scheme, and one or more hosts separated by commas."""
    scheme, _, hosts = str(url).partition("://")
    return scheme in schemes and _HOSTS.fullmatch(hosts) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class BusAddress:
    """Address of a broker, with the API key and listener name that TrustGraph's clients accept, or of a stack's socket.

    ``repr`` hides the key.

    Raises: BadRequest (``url`` is no such address).
    """

    url: str
    api_key: str = field(default="", repr=False)
    listener: str = ""

    def __post_init__(self) -> None:
        if not (is_broker_address(self.url) or str(self.url).startswith(f"{SOCKET}/")):
            raise BadRequest(
                f"{self.url!r} is not a broker address: write pulsar://HOST:6650, or pulsar+ssl://HOST:6651 for TLS"
            )

    @property
    def socket(self) -> Path | None:
        """None: it is a broker."""
        return Path(self.url.removeprefix(SOCKET)) if self.url.startswith(SOCKET) else None
