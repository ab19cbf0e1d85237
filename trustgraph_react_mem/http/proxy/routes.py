"""The routes of the OpenAI-compatible interface."""

from aiohttp import web

from . import chat, models


def routes() -> list[web.RouteDef]:
    """They need ``resources.proxy_context`` among the contexts of the application."""
    return [
        web.get("/v1/models", models.list_models, allow_head=False),
        web.get("/v1/models/{model:.+}", models.get_model, allow_head=False),
        web.post("/v1/chat/completions", chat.complete),
        web.post("/v1/embeddings", models.embed),
    ]
