"""`/v1/refinements`: the six steps of a refinement, its sessions, and what is read of them."""

from collections.abc import Callable
from typing import Annotated, Any

from aiohttp import web
from pydantic import BaseModel, Field

from ...errors import RefinementError
from ...memory.records import refinement_name
from ...memory.requests import ListRefinements
from ...memory.timefmt import format_time
from ...refine.records import CompanionType, Phase, Session, check_session_id
from ...refine.tracking import convergence_analysis, convergence_signals, iteration_timeline, phase, phase_tracking, suggestions
from ...refine.views import transcript
from ..forgetting import erase
from ..refinements import answers, steps
from ..refinements.fields import MOST_QUERY, MOST_TEXT, ProducedText, SamplingFields
from ..refinements.nonces import MOST_NONCE
from ..refinements.sessions import find_session
from ..refinements.views import baseline_draft, latest_critique
from .answers import Receipt
from .memories import receipt_of
from .models import Name, Page, ScopeFields
from .routing import Answer, Endpoint, Route
from .scoped import note_switches, reach

MARKDOWN = "text/markdown"
Nonce = Annotated[str, Field(min_length=1, max_length=MOST_NONCE, description="The nonce that came with the prompts.")]
Current = Annotated[str, Field(max_length=MOST_TEXT, description="May be left out. If given, it must be the current one.")]


class RefinementsQuery(Page):
    conversation_id: Name = Field("", description="Only sessions of this conversation.")


class StepBody(ScopeFields):
    query: Annotated[str, Field(max_length=MOST_QUERY)] = Field("", description="The question. Default: the current one.")
    companion_type: CompanionType | None = Field(None, description="Default: that of the session, else `generic`.")
    conversation_id: Name = Field("", description="Of a new session: the conversation that it is forgotten with.")
    sampling: SamplingFields | None = None
    confirm: bool = Field(False, description="Replace what this step wrote last, if no later step depends on it.")


class NewRefinement(StepBody):
    query: Annotated[str, Field(min_length=1, max_length=MOST_QUERY)]


class CompletionBody(StepBody):
    nonce: Nonce
    metadata: Annotated[dict[str, Any], Field(max_length=32)] = Field(
        default_factory=dict, description="Of the model that wrote the text."
    )


class DraftText(CompletionBody):
    draft: ProducedText


class CritiqueText(CompletionBody):
    critique: ProducedText
    draft: Current = ""


class RevisionText(CompletionBody):
    revision: ProducedText
    draft: Current = ""
    critique: Current = ""


async def sessions(request: web.Request, query: RefinementsQuery, body: None) -> Answer:
    access = await reach(request, query)
    at = int(query.cursor or 0)
    wanted = ListRefinements(conversation_id=query.conversation_id, limit=query.limit, offset=at)
    response = await access.call(wanted)
    note_switches(request, response)
    found = [
        answers.SessionListed(
            id=each.session_id,
            conversation_id=each.conversation_id,
            companion_type=each.companion_type,
            created_at=each.created_at,
            last_at=each.last_at,
            events=each.events,
        )
        for each in response.refinements
    ]
    following = str(at + len(found)) if len(found) == query.limit else None
    return answers.Sessions(results=found, count=response.count, next=following)


async def session(request: web.Request, query: ScopeFields, body: None) -> Answer:
    found = await _find(request, query)
    return answers.SessionOut(
        id=found.id,
        conversation_id=found.conversation_id,
        companion_type=found.companion_type,
        created_at=format_time(found.created_at),
        last_at=format_time(found.last_at),
        run_log=[slot.as_seed() for slot in found.slots],
        standing=found.slot.standing if found.slot else "",
        history=[{"role": each.role, "content": each.content} for each in found.history],
        phase=phase(found),
        phase_tracking=phase_tracking(found),
        suggestions=suggestions(found),
        convergence_signals=[answers.Signal.model_validate(each) for each in convergence_signals(found)],
    )


async def show_transcript(request: web.Request, query: ScopeFields, body: None) -> Answer:
    return web.Response(text=transcript(await _find(request, query)), content_type=MARKDOWN)


async def forget(request: web.Request, query: ScopeFields, body: None) -> Answer:
    access = await reach(request, query)
    name = refinement_name(check_session_id(request.match_info["id"]))
    erasure = await erase(access, "conversation", conversation_id=name)
    if erasure.receipt and not erasure.found:
        raise RefinementError("there is no such session here: GET /v1/refinements lists the ids", code="invalid_session")
    return receipt_of(erasure)


async def _find(request: web.Request, query: ScopeFields) -> Session:
    return (await find_session(await reach(request, query), request.match_info["id"])).session


def _begin(of: Phase) -> Endpoint:
    async def begin(request: web.Request, query: ScopeFields, body: StepBody) -> Answer:
        access = await reach(request, query, body)
        wanted = steps.Wanted(
            phase=of,
            session_id=request.match_info.get("id", ""),
            companion_type=body.companion_type,
            conversation_id=body.conversation_id,
            query=body.query,
            sampling=body.sampling,
            confirm=body.confirm,
        )
        return await steps.begin(access, wanted)

    return begin


def _complete(of: Phase) -> Endpoint:
    async def complete(request: web.Request, query: ScopeFields, body: CompletionBody) -> Answer:
        access = await reach(request, query, body)
        given = body.model_dump(include={"draft", "critique", "revision"})
        done = steps.Completed(
            phase=of,
            session_id=request.match_info["id"],
            companion_type=body.companion_type,
            conversation_id=body.conversation_id,
            query=body.query,
            sampling=body.sampling,
            text=given.pop(steps.RESULT[of]),
            nonce=body.nonce,
            about=given,
            metadata=body.metadata,
        )
        return await steps.complete(access, done)

    return complete


def _view(of: Callable[[Session], BaseModel]) -> Endpoint:
    async def view(request: web.Request, query: ScopeFields, body: None) -> Answer:
        return of(await _find(request, query))

    return view


def _analysis(session: Session) -> answers.ConvergenceAnalysis:
    return answers.ConvergenceAnalysis.model_validate(convergence_analysis(session))


def _timeline(session: Session) -> answers.IterationTimeline:
    return answers.IterationTimeline.model_validate(iteration_timeline(session))


def _get(path: str, summary: str, endpoint: Endpoint, answer: type[BaseModel] | None, **more: Any) -> Route:
    return Route(
        method="GET",
        path=f"/v1/refinements/{{id}}{path}",
        summary=summary,
        endpoint=endpoint,
        tag="refinements",
        refuse=RefinementError,
        query=ScopeFields,
        answers={200: answer},
        errors=(404, 409),
        **more,
    )


def _post(path: str, summary: str, endpoint: Endpoint, body: type[StepBody], answer: type[BaseModel]) -> Route:
    return Route(
        method="POST",
        path=f"/v1/refinements{path}",
        summary=summary,
        endpoint=endpoint,
        tag="refinements",
        refuse=RefinementError,
        query=ScopeFields,
        body=body,
        answers={200: answer},
        errors=(404, 409, 502),
        once=True,
    )


ROUTES = [
    Route(
        method="GET",
        path="/v1/refinements",
        summary="List sessions, newest first, without their texts.",
        endpoint=sessions,
        tag="refinements",
        refuse=RefinementError,
        query=RefinementsQuery,
        answers={200: answers.Sessions},
    ),
    _post("", "Begin a session with a draft.", _begin("draft"), NewRefinement, answers.Step),
    _post("/{id}/draft", "Draft an answer to another question.", _begin("draft"), StepBody, answers.Step),
    _post("/{id}/critique", "Criticise the newest text.", _begin("critique"), StepBody, answers.Step),
    _post("/{id}/revise", "Revise the newest text by its critique.", _begin("revise"), StepBody, answers.Step),
    _post("/{id}/draft_complete", "Store a draft of the client's model.", _complete("draft"), DraftText, answers.Logged),
    _post("/{id}/critique_complete", "Store a critique of it.", _complete("critique"), CritiqueText, answers.Logged),
    _post("/{id}/revise_complete", "Store a revision of it.", _complete("revise"), RevisionText, answers.Logged),
    _get("", "A session: its slots, its history, and what may follow.", session, answers.SessionOut),
    _get("/baseline_draft", "The draft of the current slot.", _view(baseline_draft), answers.BaselineDraft),
    _get("/latest_critique", "The newest critique of the current slot.", _view(latest_critique), answers.LatestCritique),
    _get("/iteration_timeline", "Every step with its time and tokens.", _view(_timeline), answers.IterationTimeline),
    _get("/convergence_analysis", "Whether more steps would help.", _view(_analysis), answers.ConvergenceAnalysis),
    _get("/transcript", "The session as Markdown.", show_transcript, None, answer_type=MARKDOWN),
    Route(
        method="DELETE",
        path="/v1/refinements/{id}",
        summary="Erase a session, with a receipt.",
        endpoint=forget,
        tag="refinements",
        refuse=RefinementError,
        query=ScopeFields,
        answers={200: Receipt, 202: Receipt},
        errors=(404,),
    ),
]
