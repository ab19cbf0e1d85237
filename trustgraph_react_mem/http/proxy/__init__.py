"""The OpenAI-compatible interface: chat completions, responses and models.

``agent/<flow>`` is the agent of a flow.  Every other model is passed through to the configured endpoint, with recalled memories
inserted, and is learned from afterwards.  The application needs ``routes()`` and the context ``resources.proxy_context``.
"""
