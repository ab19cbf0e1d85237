"""The checks of `doctor` on the embedding model of a deployment."""

from ..bus.embedder import FLOW, embeddings_model
from ..bus.external_client import MemoryBus
from ..errors import MemoryServiceError
from ..indexing.floors import has_floors
from ..memory.embedding import EmbeddingProfile, find_profile, makes_vectors_of
from ..memory.requests import GetJobStats
from ..models.doctor import Finding
from .options import Options

MODEL_REMEDY = (
    "set REACT_MEM_EMBEDDING_PROFILE of all memory processors to the flow's model (the memories are embedded again), or start "
    "the flow with the model of the memories"
)
FLOOR_REMEDY = "set similarity-threshold between the similarities of answerable and other questions in `memories search`"
SERVICE_REMEDY = "start TrustGraph's embeddings service of this flow, or check its log"
SERVICE_S = 10.0


async def _find_model(bus: MemoryBus, options: Options) -> str:
    """The embedding model of the memories; "" if the jobs service is of a version that does not say.

    Raises: MemoryServiceError.
    """
    stats = (await bus.call(GetJobStats(user=options.user, collection=options.collection))).stats
    return str(stats.get("embedding", ""))


async def check_embedding_model(bus: MemoryBus, options: Options) -> list[Finding]:
    """The embedding model of the memories, whether it has a similarity floor, and the flows that run another model.

    Raises: MemoryServiceError.
    """
    if not (name := await _find_model(bus, options)):
        return []
    profile = find_profile(name) or EmbeddingProfile(name=name, dimension=0)
    findings = [Finding(name="embedding model", state="ok", detail=name)]
    if not has_floors(profile):
        detail = f"{name}: no similarity floor was measured, so a question that memory cannot answer gets the nearest memories"
        findings = [Finding(name="embedding model", state="limited", detail=detail, remedy=FLOOR_REMEDY)]
    for flow, record in sorted((await bus.config_get(FLOW)).items()):
        model = embeddings_model(record)
        if model and not makes_vectors_of(model, profile):
            detail = f"flow {flow} runs {model}, but memory has vectors of {name}: the flow's embeddings service is not asked"
            findings.append(Finding(name="embedding model", state="wrong", detail=detail, remedy=MODEL_REMEDY))
    return findings


async def check_embeddings_service(bus: MemoryBus, options: Options) -> list[Finding]:
    """Whether the flow's embeddings service answers with vectors of the memories' dimension.

    Raises: MemoryServiceError (of the memory services).
    """
    if not (name := await _find_model(bus, options)):
        return []
    profile = find_profile(name)
    model = embeddings_model((await bus.config_get(FLOW)).get(options.flow, "{}"))
    if model and profile and not makes_vectors_of(model, profile):
        return []  # it is not asked: ``check_embedding_model`` says so
    prefix = profile.passage_prefix if profile else ""
    finding = "embeddings service"
    try:
        vectors = await bus.embed([f"{prefix}Is anyone there?"], SERVICE_S)
    except MemoryServiceError as error:
        detail = f"memories are found by keyword only, and new ones wait: {error}"
        return [Finding(name=finding, state="unreachable", detail=detail, remedy=SERVICE_REMEDY)]
    size = len(vectors[0]) if len(vectors) == 1 else 0
    if not size or (profile and size != profile.dimension):
        detail = f"it gives {size} numbers for a text, but memory has vectors of {name}"
        return [Finding(name=finding, state="wrong", detail=detail, remedy=MODEL_REMEDY)]
    return [Finding(name=finding, state="ok", detail="responds")]
