"""Address of a message broker."""

from dataclasses import dataclass, field

from ..errors import BadRequest

SCHEMES = ("pulsar", "pulsar+ssl")


@dataclass(frozen=True, slots=True, kw_only=True)
class BusAddress:
    """Address of a broker, with the API key and listener name that TrustGraph's clients accept.  ``repr`` hides the key.

    Raises: BadRequest (``url`` is not a broker address).
    """

    url: str
    api_key: str = field(default="", repr=False)
    listener: str = ""

    def __post_init__(self) -> None:
        scheme, separator, place = self.url.partition("://")
        if scheme not in SCHEMES or not separator or not place.strip("/"):
            raise BadRequest(
                f"{self.url!r} is not a broker address: write pulsar://HOST:6650, or pulsar+ssl://HOST:6651 for TLS"
            )
