"""URLs of servers on this machine."""

from urllib.parse import urlsplit

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}


def local_url(url: str) -> str:
    """The URL to ask for what listens at ``url``: 0.0.0.0 and :: are addresses to bind, and none to ask.

    >>> local_url("http://0.0.0.0:8850")
    'http://127.0.0.1:8850'
    """
    place = urlsplit(url)
    name = LOOPBACK.get(place.hostname or "")
    return place._replace(netloc=f"{name}:{place.port}" if place.port else name).geturl() if name else url
