"""``react-mem-health``: the health check of containers.

Reads the metrics of the processor.  Exit code 0: its event loop is running, it has applied its configuration (so that it takes
the requests of every flow), and its consumers are connected to the broker; with ``--alive``: its event loop is running.
Otherwise 1, with one line that gives the reason.  With ``--listener URL``: the HTTP listener and the services behind it answer.
Imports only fast modules.
"""

import argparse
import re
import sys
import time
import urllib.error
import urllib.request

STALE_S = 15.0
TIMEOUT_S = 2.0
READY_S = 20.0  # of the listener, which asks every service
_FIGURE = re.compile(r'^tg_memory_(\w+)\{processor="([^"]*)"\} (\S+)$', re.MULTILINE)
_REPAIRING = re.compile(r"^tg_memory_scopes_to_repair (\S+)$", re.MULTILINE)
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy


def find_fault(metrics: str, now: float, *, alive: bool = False) -> str:
    """The fault, or "".  ``metrics``: Prometheus text format; ``now``: Unix time."""
    figures = {(name, processor): float(value) for name, processor, value in _FIGURE.findall(metrics)}
    processors = sorted({processor for name, processor in figures if name == "heartbeat_timestamp_seconds"})
    if not processors:
        return "no processor has started yet"
    for processor in processors:
        age_s = now - figures["heartbeat_timestamp_seconds", processor]
        if age_s > STALE_S:
            return f"the event loop of {processor} has been blocked for {age_s:.0f} s"
        consumers, connected = (int(figures.get((name, processor), 0)) for name in ("consumers", "consumers_connected"))
        if not alive and (not consumers or connected < consumers):
            return f"{connected} of {consumers} consumers of {processor} are connected to the broker"
        if not alive and not figures.get(("configured", processor), 1.0):
            return f"{processor} has not applied its configuration yet: does the configuration service answer?"
    return ""


def _describe_repair(metrics: str) -> str:
    left = _REPAIRING.search(metrics)
    scopes = int(float(left[1])) if left else 0
    return f"healthy; repairing {scopes} scopes in which graph and vectors differ" if scopes else ""


def _check_listener(address: str) -> int:
    """Its answer names the parts that do not work."""
    try:
        with _opener.open(address, timeout=READY_S) as answer:
            print("healthy", answer.read(10_000).decode("utf-8", "replace"))
            return 0
    except urllib.error.HTTPError as error:
        print(f"HTTP {error.code} at {address}: {error.read(10_000).decode('utf-8', 'replace')}")
    except (OSError, ValueError) as error:
        print(f"no answer at {address} ({getattr(error, 'reason', error)}): is `react-mem serve` running?")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="react-mem-health", description="Check the processor in this container.")
    parser.add_argument("--port", type=int, default=8000, help="Metrics port (default: 8000)")
    parser.add_argument("--alive", action="store_true", help="Ignore the broker connection")
    parser.add_argument("--listener", default="", metavar="URL", help="Check the HTTP listener at this address instead")
    arguments = parser.parse_args()
    if arguments.listener:
        return _check_listener(arguments.listener.rstrip("/") + "/health/ready")
    address = f"http://127.0.0.1:{arguments.port}/metrics"
    metrics = ""
    try:
        with _opener.open(address, timeout=TIMEOUT_S) as answer:
            metrics = answer.read().decode("utf-8")
        fault = find_fault(metrics, time.time(), alive=arguments.alive)
    except (OSError, ValueError) as error:
        fault = f"failed to read metrics at {address} ({getattr(error, 'reason', error)}): is the processor running?"
    print(fault or _describe_repair(metrics) or "healthy")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
