"""`/v1/operations`, `/v1/receipts`, `/v1/switches`, `/v1/rollback`, `/v1/learn`, `/v1/stats`, `/v1/export`, `/v1/import`."""

import asyncio
import io
import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from ...errors import BadRequest, NotFound
from ...memory import requests
from ...memory.sizes import split_by_size, wire_size
from ...schema import JobStatus
from ...transfer.files import ExportFile, validate_file
from ..access import Access
from ..peer_records import CHANGE_TIMEOUT_S
from . import answers, models
from .memories import undone
from .routing import Answer, Routes, copy_fields

EXPORT_PAGE, IMPORT_PAGE, IMPORT_PAGE_BYTES = 500, 500, 1_000_000
NDJSON = "application/x-ndjson"
STATES = {"pending": ("queued", "deferred"), "succeeded": ("done",), "failed": ("dead", "deferred")}


ROUTES = Routes()


@ROUTES.route("GET", "/v1/operations", tag="operations")
async def operations(access: Access, query: models.JobsQuery) -> answers.Results[answers.Operation]:
    """List background operations, last changed first."""
    found: list[JobStatus] = []
    for state in STATES.get(query.status, (query.status,)):
        response = await access.call(requests.ListJobs(kind=query.kind, status=state, limit=query.limit))
        found += [job for job in response.jobs if job.user == access.user]
    shown = [operation for job in found if query.status in ("", (operation := answers.Operation.of(job)).status)]
    return answers.Results(results=shown[: query.limit])


@ROUTES.route("GET", "/v1/operations/{id}", tag="operations", errors=(404,))
async def operation(access: Access, id: str) -> answers.Operation:
    """The state of an operation."""
    return answers.Operation.of((await access.call(requests.GetJob(id=id))).jobs[0])


@ROUTES.route("POST", "/v1/operations/{id}/retry", tag="operations", errors=(404, 409), once=True)
async def retry(access: Access, id: str, query: models.ScopeFields, body: models.ScopeFields) -> answers.Operation:
    """Run a failed or waiting operation now."""
    return answers.Operation.of((await access.call(requests.ReplayJob(id=id))).jobs[0])


@ROUTES.route("POST", "/v1/operations/{id}/cancel", tag="operations", errors=(404, 409), once=True)
async def cancel(access: Access, id: str, query: models.ScopeFields, body: models.ScopeFields) -> answers.Operation:
    """Stop an operation. What it has written stays."""
    return answers.Operation.of((await access.call(requests.CancelJob(id=id))).jobs[0])


@ROUTES.route("DELETE", "/v1/operations/{id}", tag="operations", errors=(404, 409))
async def drop(access: Access, id: str) -> answers.Done:
    """Discard a failed or waiting operation and what it was to work on."""
    await access.call(requests.DropJob(id=id))
    return answers.Done(operation_id=id)


@ROUTES.route("GET", "/v1/receipts", tag="operations")
async def receipts(access: Access, query: models.Limited) -> answers.Results[answers.Receipt]:
    """Receipts of erasures of records and conversations."""
    response = await access.call(requests.ListJobs(kind="forget", status="done", limit=query.limit))
    shown = [job for job in response.jobs if job.user == access.user and job.summary]
    return answers.Results(results=[answers.Receipt(operation_id=job.id, receipt=json.loads(job.summary)) for job in shown])


@ROUTES.route("GET", "/v1/receipts/{id}", tag="operations", errors=(404,))
async def receipt(access: Access, id: str) -> answers.Receipt:
    """The receipt of an erasure."""
    response = await access.call(requests.GetJob(id=id))
    if not response.data:
        raise NotFound("this operation has no receipt: it is not a finished erasure; GET /v1/operations/{id} shows it")
    return answers.Receipt(operation_id=id, receipt=json.loads(response.data))


@ROUTES.route("GET", "/v1/switches", tag="settings")
async def switches(access: Access, query: models.ConversationQuery) -> answers.SwitchState:
    """Whether memory is read and written."""
    return await _switch(access, requests.SwitchMemory(conversation_id=query.conversation_id))


@ROUTES.route("PUT", "/v1/switches", tag="settings")
async def switch(access: Access, query: models.ScopeFields, body: models.Switches) -> answers.SwitchState:
    """Switch reading or writing of memory on or off."""
    if body.read is None and body.write is None:
        raise BadRequest("nothing changes: give read or write, true or false")
    return await _switch(access, copy_fields(requests.SwitchMemory, body))


async def _switch(access: Access, request: requests.SwitchMemory) -> answers.SwitchState:
    stats = (await access.call(request)).stats
    return answers.SwitchState(read=stats["read"], write=stats["write"])


@ROUTES.route("POST", "/v1/rollback", tag="memories", errors=(409,), once=True)
async def roll_back(access: Access, body: models.RollBackTo) -> answers.Undone:
    """Return to the state at a time. An undo of the operation brings everything back."""
    return undone(access, await access.call(requests.RollBack(at=body.to, dry_run=body.dry_run), timeout_s=CHANGE_TIMEOUT_S))


@ROUTES.route("GET", "/v1/learn", tag="settings")
async def learn(access: Access) -> answers.Learning:
    """What the ranking has learned."""
    return answers.Learning(status=json.loads((await access.call(requests.GetLearningStatus())).data))


@ROUTES.route("GET", "/v1/stats", tag="settings")
async def stats(access: Access) -> answers.Stats:
    """Numbers of memories and operations."""
    facts, episodes, conversations, jobs = await asyncio.gather(
        access.call(requests.GetFactStats()),
        access.call(requests.GetEpisodeStats()),
        access.call(requests.GetConversationStats()),
        access.call(requests.GetJobStats()),
    )
    return answers.Stats(
        memories=facts.stats, episodes=episodes.stats, conversations=conversations.stats, operations=jobs.stats
    )


@ROUTES.route("GET", "/v1/export", tag="transfer", answers={200: None}, answer_type=NDJSON)
async def export(request: web.Request, access: Access) -> Answer:
    """Everything of one collection as JSON Lines.

    The file that `react-mem import memory` reads, page by page.  A broken one lacks its last line.
    """
    headers = {"Content-Type": NDJSON, "Content-Disposition": 'attachment; filename="memory.jsonl"'}
    response, part = web.StreamResponse(headers=headers), io.StringIO()
    file = ExportFile(part, access.scope, waiting=0, at=datetime.now(UTC))
    asked = requests.ExportFacts(limit=EXPORT_PAGE)
    while True:
        page = await access.call(asked, timeout_s=CHANGE_TIMEOUT_S)
        file.add(page.data, page.count)
        asked = replace(asked, cursor=page.stats.get("next", ""))
        if not asked.cursor:
            file.end()
        if not response.prepared:
            await response.prepare(request)
        if request.method == "HEAD":  # a body would count as the next answer
            return response
        await response.write(part.getvalue().encode("utf-8", "surrogatepass"))
        part.seek(0)
        part.truncate()
        if not asked.cursor:
            await response.write_eof()
            return response


@ROUTES.route("POST", "/v1/import", tag="transfer", body_type=NDJSON, once=True)
async def import_(request: web.Request, access: Access) -> answers.Imported:
    """Store an export. Importing twice changes nothing.

    The whole body is checked before anything is stored.
    """
    raw = await request.read()
    with tempfile.TemporaryDirectory(prefix="react-mem-") as folder:
        path = Path(folder) / "import"
        path.write_bytes(raw)
        try:
            valid = await asyncio.to_thread(validate_file, path)
            lines = await asyncio.to_thread(lambda: list(valid.lines()))
        except BadRequest as error:
            raise BadRequest(str(error).replace(str(path), "the body")) from None
    stored = 0
    for page in split_by_size(lines, wire_size, most=IMPORT_PAGE, most_size=IMPORT_PAGE_BYTES):
        stored += (await access.call(requests.ImportLines(lines="\n".join(page)), timeout_s=CHANGE_TIMEOUT_S)).count
    return answers.Imported(records=valid.records, stored=stored)
