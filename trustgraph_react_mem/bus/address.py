"""Address of a message bus: a broker, or the socket of a stack on this machine."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import BadRequest

SCHEMES = ("pulsar", "pulsar+ssl")
RABBITMQ = ("amqp", "amqps")
SOCKET = "unix://"
_HOST = r"(?:\[[\da-fA-F:.]+\]|[^\s:,/\[\]]+)(?::\d+)?"
_HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*/?")
_HOST_OF_RABBITMQ = re.compile(rf"({'|'.join(RABBITMQ)})://{_HOST}(?:/[^\s/?#]*)?")


def is_broker_address(url: str, schemes: Collection[str] = SCHEMES) -> bool:
    """Whether Pulsar's client takes this address: a scheme, and one or more hosts separated by commas."""
    scheme, _, hosts = str(url).partition("://")
    return scheme in schemes and _HOSTS.fullmatch(hosts) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class BusAddress:
    """Address of a broker, with the API key and listener name that TrustGraph's clients accept, or of a stack's socket.

    ``repr`` hides the key.  Name and password of RabbitMQ are those of the environment, as for TrustGraph's programs.

    Raises: BadRequest (``url`` is no such address).
    """

    url: str
    api_key: str = field(default="", repr=False)
    listener: str = ""

    def __post_init__(self) -> None:
        if str(self.url).startswith(RABBITMQ) and "@" in self.url:
            raise BadRequest(
                "a name or password is in the address: set RABBITMQ_USERNAME and RABBITMQ_PASSWORD, and leave it out"
            )
        if not (is_broker_address(self.url) or self.is_rabbitmq or str(self.url).startswith(f"{SOCKET}/")):
            raise BadRequest(
                f"{self.url!r} is not a broker address: write pulsar://HOST:6650 (pulsar+ssl://HOST:6651 for TLS), or "
                "amqp://HOST:5672 (amqps://HOST:5671) for RabbitMQ"
            )

    @property
    def is_rabbitmq(self) -> bool:
        return _HOST_OF_RABBITMQ.fullmatch(str(self.url)) is not None

    @property
    def socket(self) -> Path | None:
        """None: it is a broker."""
        return Path(self.url.removeprefix(SOCKET)) if self.url.startswith(SOCKET) else None
