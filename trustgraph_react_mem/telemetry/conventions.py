"""Names of OpenTelemetry's semantic conventions, copied on 22 November 2026.

Sources: open-telemetry/semantic-conventions-genai (gen_ai, memory), open-telemetry/semantic-conventions v1.42 (http, db,
messaging, error).  The gen_ai and messaging names are at stability "Development" and may still change; the Python package
of the conventions has no names for memory, hence this copy.  Names that begin with ``tg.`` are our own.
"""

from collections.abc import Mapping

# ---- generative AI
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
DATA_SOURCE = "gen_ai.data_source.id"
STORE_ID = "gen_ai.memory.store.id"
RECORD_ID = "gen_ai.memory.record.id"
RECORD_COUNT = "gen_ai.memory.record.count"

INVOKE_AGENT = "invoke_agent"
CHAT = "chat"
INVOKE_WORKFLOW = "invoke_workflow"
EXECUTE_TOOL = "execute_tool"
EMBEDDINGS = "embeddings"
RETRIEVAL = "retrieval"

TRUSTGRAPH = "trustgraph"
"""Value of ``gen_ai.provider.name``: models are called through TrustGraph's services."""

# ---- other conventions
ERROR_TYPE = "error.type"
HTTP_METHOD = "http.request.method"
HTTP_ROUTE = "http.route"
HTTP_STATUS = "http.response.status_code"
DB_SYSTEM = "db.system.name"
DB_OPERATION = "db.operation.name"
MESSAGING_SYSTEM = "messaging.system"
MESSAGING_OPERATION = "messaging.operation.name"
MESSAGING_TYPE = "messaging.operation.type"
MESSAGING_DESTINATION = "messaging.destination.name"
MESSAGING_ID = "messaging.message.id"
MESSAGING_SUBSCRIPTION = "messaging.destination.subscription.name"
PULSAR = "pulsar"

# ---- our own
SERVICE = "tg.memory.service"
JOB_KIND = "tg.memory.job.kind"
TASK = "tg.memory.task"
"""The name of the prompt that a model call renders."""

MEMORY_OPERATIONS: Mapping[str, str] = {
    "retrieve": "search_memory",
    "get": "search_memory",
    "list": "search_memory",
    "current": "search_memory",
    "store": "upsert_memory",
    "import": "upsert_memory",
    "update": "update_memory",
    "undo": "update_memory",
    "rollback": "update_memory",
    "forget": "delete_memory",
    "forget-scope": "delete_memory",
}
"""Our operation -> ``gen_ai.operation.name``.  Other operations keep their name."""
