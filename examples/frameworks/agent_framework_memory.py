"""An agent of Microsoft Agent Framework is shown what an earlier session said.

    pip install 'trustgraph-react-mem[local,agent-framework]'

The model is a script, and the embedder a stand-in, so that the example needs no key and no network.
"""

import asyncio
import tempfile

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Message

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.agent_framework import MemoryContextProvider
from trustgraph_react_mem.testing import HashedEmbedder


class ScriptedClient(BaseChatClient):
    """Repeats what it was shown of memory."""

    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        lines = [line for message in messages for line in message.text.splitlines() if line.startswith("- ")]
        return ChatResponse(messages=[Message("assistant", ["\n".join(lines) or "Noted."])])


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="ana", embedder=HashedEmbedder(64)) as memory:
            agent = Agent(client=ScriptedClient(), context_providers=[MemoryContextProvider(memory)])
            print(await agent.run("My dog Miso is allergic to chicken.", session=AgentSession()))
            print(await agent.run("What is my dog Miso allergic to?", session=AgentSession()))


asyncio.run(main())
