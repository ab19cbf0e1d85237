"""URLs of servers on this machine."""

from urllib.parse import urlsplit, urlunsplit

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}


def local_url(url: str) -> str:
    """The URL to ask for what listens at ``url``: 0.0.0.0 and :: are addresses to bind, and none to ask.

    >>> local_url("http://0.0.0.0:8850")
    'http://127.0.0.1:8850'
    """
    place = urlsplit(url)
    name = LOOPBACK.get(place.hostname or "")
    if name is None:
        return url
    at = f"{name}:{place.port}" if place.port else name
    return urlunsplit((place.scheme, at, place.path, place.query, place.fragment))
