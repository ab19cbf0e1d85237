"""``react-mem-health``: is the processor that runs here at work?  For the health checks of containers.

Reads the processor's own metrics.  Exit code 0: its event loop turns and the broker serves all its consumers; with ``--alive``:
its event loop turns, whatever the broker does.  Else 1, with one line that says why.  Imports nothing that takes time.
"""

import argparse
import re
import sys
import time
import urllib.request

STALE_S = 15.0
TIMEOUT_S = 2.0
_FIGURE = re.compile(r'^tg_memory_(\w+)\{processor="([^"]*)"\} (\S+)$', re.MULTILINE)


def judged(metrics: str, now: float, *, alive: bool = False) -> str:
    """What is wrong; empty: nothing.  ``metrics``: Prometheus' text form; ``now``: Unix time."""
    figures = {(name, processor): float(value) for name, processor, value in _FIGURE.findall(metrics)}
    processors = sorted({processor for name, processor in figures if name == "heartbeat_timestamp_seconds"})
    if not processors:
        return "no processor has started yet"
    for processor in processors:
        age_s = now - figures["heartbeat_timestamp_seconds", processor]
        if age_s > STALE_S:
            return f"the event loop of {processor} has stood still for {age_s:.0f} s"
        consumers, connected = (int(figures.get((name, processor), 0)) for name in ("consumers", "consumers_connected"))
        if not alive and (not consumers or connected < consumers):
            return f"the broker serves {connected} of {consumers} consumers of {processor}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="react-mem-health", description="Is the processor that runs here at work?")
    parser.add_argument("--port", type=int, default=8000, help="Port of its metrics (default: 8000)")
    parser.add_argument("--alive", action="store_true", help="Only that it runs, whatever the broker does")
    arguments = parser.parse_args()
    address = f"http://127.0.0.1:{arguments.port}/metrics"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=TIMEOUT_S) as answer:
            fault = judged(answer.read().decode("utf-8"), time.time(), alive=arguments.alive)
    except (OSError, ValueError) as error:
        fault = f"no metrics at {address} ({getattr(error, 'reason', error)}): does a processor run there, with metrics?"
    print(fault or "at work")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
