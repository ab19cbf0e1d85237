"""Address of a message broker."""

import json
from dataclasses import dataclass, field
from typing import Self

from ..directories import STATE_FILE
from ..errors import BadRequest
from ..identity import default_directory

SCHEMES = ("pulsar", "pulsar+ssl")

_own_secrets: dict[str, str] = {}  # of the stacks of this process, by URL


@dataclass(frozen=True, slots=True, kw_only=True)
class BusAddress:
    """Address of a broker, with the API key and listener name that TrustGraph's clients accept.

    ``secret``: of the embedded stack that serves there, in hexadecimal ("" for a deployment).  ``repr`` hides key and secret.

    Raises: BadRequest (``url`` is not a broker address).
    """

    url: str
    api_key: str = field(default="", repr=False)
    listener: str = ""
    secret: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        scheme, separator, place = self.url.partition("://")
        if scheme not in SCHEMES or not separator or not place.strip("/"):
            raise BadRequest(
                f"{self.url!r} is not a broker address: write pulsar://HOST:6650, or pulsar+ssl://HOST:6651 for TLS"
            )

    @classmethod
    def find(cls, url: str, *, api_key: str = "", listener: str = "") -> Self:
        """The address, with the secret if an embedded stack of this process or of the default data directory serves there."""
        return cls(url=url, api_key=api_key, listener=listener, secret=_own_secrets.get(url) or _stored_secret(url))


def remember_secret(url: str, secret: str) -> None:
    """Let this process find the secret of its own stack."""
    _own_secrets[url] = secret


def forget_secret(url: str) -> None:
    _own_secrets.pop(url, None)


def _stored_secret(url: str) -> str:
    try:
        stored = json.loads((default_directory() / STATE_FILE).read_text("utf-8"))
        return str(stored.get("secret", "")) if stored.get("pulsar_url") == url else ""
    except (OSError, ValueError, AttributeError):
        return ""  # no stack of this account runs there
