"""Background jobs: the envelope on the bus, and the status for clients.

The envelope has the CloudEvents 1.0 context attributes (JSON event format, section 3.1), with ours as extensions.
"""

from dataclasses import dataclass


@dataclass
class JobEnvelope:
    specversion: str = "1.0"
    id: str = ""  # job id; a job that is published twice runs once
    source: str = ""  # the processor that published it
    type: str = ""  # org.trustgraph.memory.<kind>
    subject: str = ""  # Scope.key, also the partition key
    time: str = ""
    datacontenttype: str = "application/json"
    data: str = ""  # JSON payload, encrypted with the scope's key, base64

    kind: str = ""
    workspace: str = ""
    user: str = ""
    collection: str = ""
    attempt: int = 1
    trigger: str = ""
    parent: str = ""  # the job that led to this one


@dataclass
class JobStatus:
    id: str = ""
    kind: str = ""
    user: str = ""
    collection: str = ""
    status: str = ""  # queued | running | done | deferred | dead | cancelled
    trigger: str = ""
    attempt: int = 0
    created_at: str = ""
    updated_at: str = ""
    not_before: str = ""
    error: str = ""  # class and cause, never user text
    summary: str = ""  # counts of what the job produced
