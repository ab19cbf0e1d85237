"""Embeddings of any endpoint that speaks OpenAI's interface.

What its cosines mean is not known beforehand, so it is measured once at the start, on sentences that have nothing to do
with each other and on pairs that say the same.

Some servers answer 500 to a text that their model cannot process.  If that repeats while another text is embedded, it is a
refusal of the text: the caller embeds the others.
"""

import asyncio
from collections.abc import Mapping, Sequence

import httpx
import numpy as np
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ..errors import ConfigurationError, MemoryServiceError, ModelUnavailable, RateLimited, RequestRefused
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix
from .calibration import SENTENCES, calibrate_profile
from .embedding_model import EmbeddingModel
from .endpoint import check_base_url
from .openai_chat import open_client

BATCH_TEXTS = 128
AT_ONCE = 4
READ_S = 60.0
PROBE = "Hello"
OVERLOADED = 503


class ServerFailed(ModelUnavailable):
    """The endpoint answered with a server error, such as 500."""


class OpenAIEmbedder(EmbeddingModel):
    def __init__(self, profile: EmbeddingProfile, model: str, client: httpx.AsyncClient) -> None:
        self.profile = profile
        self.where = f"at {client.base_url.host}"
        self._model = model
        self._client = client
        self._at_once = asyncio.Semaphore(AT_ONCE)

    async def vectors(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.empty((0, self.profile.dimension), dtype=np.float32)
        batches = [list(texts[start : start + BATCH_TEXTS]) for start in range(0, len(texts), BATCH_TEXTS)]
        return np.concatenate(await asyncio.gather(*(self._batch(batch) for batch in batches)))

    async def _batch(self, texts: Sequence[str]) -> Matrix:
        async with self._at_once:
            try:
                rows = await _ask(self._client, self._model, texts)
            except ServerFailed as error:
                try:
                    await _ask_once(self._client, self._model, [PROBE])
                except MemoryServiceError:
                    raise error from None
                raise RequestRefused(f"{error}: it fails for {len(texts)} texts at each attempt, and embeds others") from None
        if rows.shape[1] != self.profile.dimension:
            raise ConfigurationError(
                f"{self._model} {self.where} returned {rows.shape[1]} dimensions instead of {self.profile.dimension}: "
                "restart, and re-embed the stored memories"
            )
        return rows

    async def close(self) -> None:
        await self._client.aclose()


async def open_endpoint(model: str, env: Mapping[str, str]) -> OpenAIEmbedder:
    """Raises: ConfigurationError (no address), ModelUnavailable (not reachable)."""
    url = env.get("OPENAI_BASE_URL", "")
    if not url or not model:
        raise ConfigurationError(
            f"the embedding model 'openai:{model}' needs the name of a model behind the colon, and OPENAI_BASE_URL"
        )
    check_base_url(url)
    client = open_client(url, env.get("OPENAI_API_KEY", ""), read_s=READ_S)
    return OpenAIEmbedder(calibrate_profile(model, await _ask(client, model, SENTENCES)), model, client)


@retry(
    retry=retry_if_exception_type(ModelUnavailable),
    stop=stop_after_attempt(4),
    wait=wait_random_exponential(multiplier=0.5, max=20),
    reraise=True,
)
async def _ask(client: httpx.AsyncClient, model: str, texts: Sequence[str]) -> Matrix:
    return await _ask_once(client, model, texts)


async def _ask_once(client: httpx.AsyncClient, model: str, texts: Sequence[str]) -> Matrix:
    try:
        response = await client.post("embeddings", json={"model": model, "input": list(texts), "encoding_format": "float"})
    except httpx.HTTPError as error:
        raise ModelUnavailable(
            f"{model} at {client.base_url.host} is not reachable ({type(error).__name__}): check OPENAI_BASE_URL"
        ) from None
    status = f"{model} at {client.base_url.host} answered {response.status_code}"
    if response.status_code == 429:
        raise RateLimited(f"{status}: it limits the rate; wait, or use another model")
    if response.status_code in (OVERLOADED, 408):
        raise ModelUnavailable(status)
    if response.status_code >= 500:
        raise ServerFailed(status)
    if response.status_code in (401, 403, 404):
        raise ConfigurationError(f"{status}: check REACT_MEM_EMBEDDINGS, OPENAI_BASE_URL and OPENAI_API_KEY")
    if response.status_code != 200:
        raise RequestRefused(f"{status}: it refuses one of {len(texts)} texts, or does not know the model")
    try:
        entries = sorted(response.json()["data"], key=lambda entry: int(entry["index"]))
        rows = np.array([entry["embedding"] for entry in entries], dtype=np.float32)
    except (ValueError, KeyError, TypeError):
        raise ModelUnavailable(f"{model} at {client.base_url.host} returned no embeddings") from None
    if rows.ndim != 2 or len(rows) != len(texts):
        raise ModelUnavailable(f"{model} at {client.base_url.host} returned {len(rows)} embeddings for {len(texts)} texts")
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), dtype=np.float32)
