// Records that a migration reads page by page, ordered by key.  Both engines run the same text.  Each statement scans a table.

// @facts_without_sources: all facts that may depend on another record; a verbatim turn does only if it was superseded
MATCH (f:Fact) WHERE f.uid > $after AND (f.kind <> 'turn' OR f.superseded_by <> '')
RETURN f.uid AS uid, f.id AS id, f.kind AS kind, f.status AS status, f.content AS content, f.speaker AS speaker,
       f.source AS source, f.position AS position, f.created_at AS created_at, f.valid_to AS valid_to,
       f.superseded_at AS superseded_at, f.superseded_by AS superseded_by, f.version AS version, f.uses AS uses,
       f.last_used_at AS last_used_at, f.indexed AS indexed, f.record AS record, f.scope AS scope
ORDER BY uid LIMIT $limit

// @episodes
MATCH (e:Episode) WHERE e.uid > $after
RETURN e.uid AS uid, e.scope AS scope, e.id AS id, e.goal AS goal, e.created_at AS created_at, e.source AS source,
       e.succeeded AS succeeded, e.indexed AS indexed, e.record AS record, e.undone_at AS undone_at, e.operation AS operation
ORDER BY uid LIMIT $limit
