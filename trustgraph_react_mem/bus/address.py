"""Where a broker is."""

from dataclasses import dataclass, field

from ..errors import BadRequest

SCHEMES = ("pulsar", "pulsar+ssl")


@dataclass(frozen=True, slots=True, kw_only=True)
class BusAddress:
    """Where a broker is, with what TrustGraph's own clients take beside it.  The key is never shown."""

    url: str
    api_key: str = field(default="", repr=False)
    listener: str = ""

    def __post_init__(self) -> None:
        scheme, separator, place = self.url.partition("://")
        if scheme not in SCHEMES or not separator or not place.strip("/"):
            raise BadRequest(
                f"{self.url!r} is no address of a broker: write pulsar://HOST:6650, or pulsar+ssl://HOST:6651 for one with TLS"
            )
