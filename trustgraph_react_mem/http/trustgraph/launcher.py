"""``react-mem-gateway``: TrustGraph's gateway with memories of each user's own.  Needs trustgraph-flow."""

import sys

from ...errors import ConfigurationError
from ...extras import require


def run() -> None:
    """Takes the arguments of TrustGraph's ``api-gateway``."""
    try:
        require("react-mem-gateway", "trustgraph.gateway", "msgpack", extra="gateway")
        from .gateway import run as run_gateway

        run_gateway()
    except ConfigurationError as error:
        print(f"react-mem-gateway: {error}", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    run()
