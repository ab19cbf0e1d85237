"""Python, the bus, the command line and the store of the framework adapters."""

import asyncio
import json
from typing import Any

from tests.e2e.command import ReactMem
from trustgraph_react_mem.frameworks.items import Items, StoredItem, check_item
from trustgraph_react_mem.manager import MemoryManager
from trustgraph_react_mem.memory.requests import ImportTurns, RetrieveFacts, StoreFact, SubmitJob
from trustgraph_react_mem.schema import Turn

from .interface import MANY, Interface, Owner, interface, records


@interface("python")
class Python(Interface):
    def _of(self, owner: Owner) -> MemoryManager:
        return self.scene.manager.shared(user=owner.user, collection=owner.collection)

    async def write(self, owner: Owner, text: str) -> None:
        await self._of(owner).add(text)

    async def read(self, owner: Owner, question: str) -> str:
        memory = self._of(owner)
        found = await memory.retrieve(question, limit=MANY)
        found += await memory.search("semantic", question, MANY)
        return "\n".join(entry.content for entry in found)

    async def erase(self, owner: Owner, text: str) -> None:
        memory = self._of(owner)
        [entry] = [entry for entry in await memory.retrieve(text, limit=MANY) if entry.content == text]
        assert await memory.delete(entry.id)


@interface("bus")
class Bus(Interface):
    held = ("tool", "document", "assistant")

    async def write(self, owner: Owner, text: str) -> None:
        said = Turn(speaker=owner.user, role="user", text=text, id=text)
        await self.scene.bus.call(ImportTurns(user=owner.user, collection=owner.collection, source="canary", turns=[said]))

    async def read(self, owner: Owner, question: str) -> str:
        return "\n".join(fact.content for fact in await self._found(owner, question))

    async def erase(self, owner: Owner, text: str) -> None:
        [fact] = [fact for fact in await self._found(owner, text) if fact.content == text]
        payload = json.dumps({"level": "record", "ids": [fact.id]})
        request = SubmitJob(kind="forget", payload=payload, timeout_s=120, user=owner.user, collection=owner.collection)
        assert (await self.scene.bus.call(request)).data

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        await self.scene.bus.call(StoreFact(user=owner.user, collection=owner.collection, content=text, trust=way))

    async def _found(self, owner: Owner, question: str) -> list[Any]:
        request = RetrieveFacts(query=question, top_k=MANY, candidates=MANY, user=owner.user, collection=owner.collection)
        return list((await self.scene.bus.call(request)).facts)


@interface("command line")
class CommandLine(Interface):
    async def write(self, owner: Owner, text: str) -> None:
        file = self.scene.home / "canary.jsonl"
        file.write_text(json.dumps({"messages": [{"role": "user", "content": text}]}) + "\n", "utf-8")
        await self._run(owner, "import", "chatml", str(file))

    async def read(self, owner: Owner, question: str) -> str:
        return json.dumps(await self._run(owner, "memories", "search", question, "--top", str(MANY)))

    async def erase(self, owner: Owner, text: str) -> None:
        found = await self._run(owner, "memories", "search", text)
        [record_id] = {str(each["id"]) for each in records(found) if each.get("content") == text}
        await self._run(owner, "forget", record_id)

    async def clear(self, owner: Owner) -> None:
        await self._run(owner, "forget", "--yes")

    async def _run(self, owner: Owner, *arguments: str) -> list[dict[str, Any]]:
        """The JSON lines that the command writes; none if it says that reading is switched off."""
        command = ReactMem(self.scene.home, owner.user)
        done = await asyncio.to_thread(command.run, *arguments, "--collection", owner.collection, "--json")
        if done.code == 2 and "reading memory is switched off" in done.err:
            return []
        assert done.code == 0, f"{arguments[:2]}: exit {done.code}\n{done.err}"
        return done.lines


@interface("store")
class Store(Interface):
    """The named values on which the adapters for agent frameworks stand."""

    shows_all = False
    serves_shared = False

    def _of(self, owner: Owner) -> Items:
        return Items(self.scene.manager.shared(user=owner.user, collection=owner.collection))

    async def write(self, owner: Owner, text: str) -> None:
        items = self._of(owner)
        now = items.now()
        await items.put([check_item(StoredItem(name=("canary", text), value={"content": text}, created=now, updated=now))])

    async def read(self, owner: Owner, question: str) -> str:
        items = self._of(owner)
        stored = [item.value for item in await items.all()]
        return json.dumps([stored, [list(name) for name in await items.similarities(question)]])

    async def erase(self, owner: Owner, text: str) -> None:
        await self._of(owner).delete([("canary", text)])
