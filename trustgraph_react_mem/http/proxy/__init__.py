"""The OpenAI-compatible interface: chat completions, responses and models.

``agent/<flow>`` is the agent of a flow.  Every other model is passed through to the configured endpoint, with recalled memories
inserted, and is learned from afterwards.  The application needs ``routes()`` and the context ``resources.proxy_context``.
"""

from aiohttp import web

from . import chat, models, responses, stored


def routes() -> list[web.RouteDef]:
    """They need ``resources.proxy_context`` among the contexts of the application."""
    return [
        web.get("/v1/models", models.list_models, allow_head=False),
        web.get("/v1/models/{model:.+}", models.get_model, allow_head=False),
        web.post("/v1/chat/completions", chat.complete),
        web.post("/v1/responses", responses.create),
        web.get("/v1/responses/{id}", stored.get, allow_head=False),
        web.delete("/v1/responses/{id}", stored.delete),
        web.post("/v1/embeddings", models.embed),
    ]
