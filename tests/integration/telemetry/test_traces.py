import asyncio

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.schema import AgentRequest

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def test_look(stack, spans):
    async with await MemoryBus.connect(stack.address) as bus:
        async for m in bus.ask(AgentRequest(question="My dog Miso is allergic to chicken. look up", user="ann")):
            print(m.message_type, m.content[:60], m.error)
        await asyncio.sleep(3)
    found = spans.get_finished_spans()
    by = {s.context.span_id: s for s in found}

    def show(parent, trace, depth):
        for s in sorted(
            (s for s in found if s.context.trace_id == trace and (s.parent.span_id if s.parent else None) == parent),
            key=lambda s: s.start_time,
        ):
            print(
                "  " * depth,
                s.name,
                s.kind.name,
                {k: v for k, v in s.attributes.items()},
                s.status.status_code.name,
                [hex(l.context.span_id) for l in s.links],
                hex(s.context.span_id),
            )
            show(s.context.span_id, trace, depth + 1)

    for t in dict.fromkeys(s.context.trace_id for s in sorted(found, key=lambda s: s.start_time)):
        print("TRACE", hex(t))
        show(None, t, 1)
