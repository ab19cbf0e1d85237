"""An agent of Microsoft Agent Framework is shown what an earlier session said.

    pip install 'trustgraph-react-mem[local]' agent-framework-core

Copy ``MemoryContextProvider`` into your program.  The model is a script, and the embedder a stand-in, so that the example needs
no key and no network.
"""

import asyncio
import tempfile

from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, ContextProvider, Message

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.testing import HashedEmbedder


class MemoryContextProvider(ContextProvider):
    """Memories are a message of the user's side, never instructions, because they hold what people and documents said."""

    def __init__(self, memory):
        super().__init__("react-mem")
        self.memory = memory

    async def before_run(self, *, agent, session, context, state):
        asked = "\n".join(message.text for message in context.input_messages if message.role == "user")
        lines = [f"- [{entry.timestamp:%Y-%m-%d}] {entry.content}" for entry in await self.memory.retrieve(asked, limit=5)]
        if lines:
            context.extend_messages(self, [Message("user", ["\n".join(["Notes of earlier conversations:", *lines])])])

    async def after_run(self, *, agent, session, context, state):
        spoken = [*context.input_messages, *(context.response.messages if context.response else [])]
        said = [
            {"role": each.role, "content": each.text} for each in spoken if each.role in ("user", "assistant") and each.text
        ]
        await self.memory.add(said, conversation=context.session_id or "")


class ScriptedClient(BaseChatClient):
    """Repeats what it was shown of memory."""

    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        lines = [line for message in messages for line in message.text.splitlines() if line.startswith("- ")]
        return ChatResponse(messages=[Message("assistant", ["\n".join(lines) or "Noted."])])


async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="ana", embedder=HashedEmbedder(64)) as memory:
            agent = Agent(client=ScriptedClient(), context_providers=[MemoryContextProvider(memory)])
            print(await agent.run("My dog Miso is allergic to chicken.", session=AgentSession()))
            print(await agent.run("What is my dog Miso allergic to?", session=AgentSession()))


asyncio.run(main())
