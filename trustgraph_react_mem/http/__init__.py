"""The HTTP listener: one port for REST, other products' clients, the OpenAI-compatible proxy, events and MCP.

``application.make_application`` builds it over ``MemoryBus``.  Each interface is a folder or module with a function
``routes()``.  Who calls is decided in one place (``identity``); what a caller may reach goes through ``access.Access``.
"""
