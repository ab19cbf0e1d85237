"""An agent of the OpenAI Agents SDK continues a conversation, and recalls it in another one.

    pip install 'trustgraph-react-mem[local,openai-agents]'

The model is a script, and the embedder a stand-in, so that the example needs no key and no network.
"""

import asyncio
import tempfile

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.openai_agents import MemorySession, with_memory
from trustgraph_react_mem.testing import HashedEmbedder


class ScriptedModel(Model):
    """Repeats what it was shown of memory."""

    async def get_response(self, system_instructions, input, *args, **kwargs):
        text = str(system_instructions).partition("instructions:\n")[2] or "Noted."
        content = [ResponseOutputText(type="output_text", text=text, annotations=[])]
        message = ResponseOutputMessage(id="1", type="message", role="assistant", status="completed", content=content)
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


async def main() -> None:
    set_tracing_disabled(True)
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryManager.open(folder, user="ana", embedder=HashedEmbedder(64)) as memory:
            agent = Agent(name="helper", model=ScriptedModel(), instructions=with_memory(memory, "Be brief."))
            first = MemorySession("first", memory)
            await Runner.run(agent, "My dog Miso is allergic to chicken.", session=first)
            print(len(await first.get_items()), "items in the session")
            done = await Runner.run(agent, "What is my dog Miso allergic to?", session=MemorySession("second", memory))
            print(done.final_output)


asyncio.run(main())
