"""When memories expire.  The sweep deletes expired memories, and recall leaves them out until then."""

from datetime import datetime, timedelta


def oldest_kept(ttl_days: int, now: datetime) -> datetime | None:
    """Records created before this time have expired.  None: nothing expires."""
    return now - timedelta(days=ttl_days) if ttl_days else None
