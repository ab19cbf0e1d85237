"""Address of a message broker."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Self

from ..directories import STATE_FILE
from ..errors import BadRequest
from ..identity import default_directory

SCHEMES = ("pulsar", "pulsar+ssl")
_HOST = r"(?:\[[\da-fA-F:.]+\]|[^\s:,/\[\]]+)(?::\d+)?"
_HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*/?")

_own_secrets: dict[str, str] = {}  # of the stacks of this process, by URL


def is_broker_address(url: str, schemes: Collection[str] = SCHEMES) -> bool:
    """Whether Pulsar's client takes this address: a scheme, and one or more hosts separated by commas."""
    scheme, _, hosts = str(url).partition("://")
    return scheme in schemes and _HOSTS.fullmatch(hosts) is not None


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
        if not is_broker_address(self.url):
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
