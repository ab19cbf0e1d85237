"""What `react-mem-health` makes of a processor's metrics."""

import pytest

from trustgraph_react_mem.health import STALE_S, find_fault

NOW = 1_800_000_000.0


def metrics(processor: str = "agent-facts", *, age_s: float = 0.5, consumers: int = 3, connected: int = 3) -> str:
    return "".join(
        f'tg_memory_{name}{{processor="{processor}"}} {value}\n'
        for name, value in (
            ("heartbeat_timestamp_seconds", NOW - age_s),
            ("consumers", float(consumers)),
            ("consumers_connected", float(connected)),
        )
    )


@pytest.mark.parametrize(
    ("text", "fault", "fault_alive"),
    [
        (metrics(), "", ""),
        (metrics() + metrics("agent-episodes"), "", ""),
        ("", "no processor has started", "no processor has started"),
        ("# HELP python_info\npython_info 1.0\n", "no processor has started", "no processor has started"),
        (metrics(connected=2), "2 of 3 consumers of agent-facts are connected", ""),
        (metrics(consumers=0, connected=0), "0 of 0 consumers of agent-facts are connected", ""),
        (metrics() + metrics("agent-episodes", connected=0), "0 of 3 consumers of agent-episodes are connected", ""),
        (
            metrics() + 'tg_memory_configured{processor="agent-facts"} 0.0\n',
            "agent-facts has not applied its configuration yet",
            "",
        ),
        (metrics() + 'tg_memory_configured{processor="agent-facts"} 1.0\n', "", ""),
        (metrics(age_s=STALE_S + 1), "agent-facts has been blocked for 16 s", "agent-facts has been blocked for 16 s"),
        (metrics(age_s=STALE_S - 1), "", ""),
    ],
)
def test_what_is_wrong_is_named(text: str, fault: str, fault_alive: str) -> None:
    for said, expected in ((find_fault(text, NOW), fault), (find_fault(text, NOW, alive=True), fault_alive)):
        assert expected in said
        assert bool(expected) == bool(said)
