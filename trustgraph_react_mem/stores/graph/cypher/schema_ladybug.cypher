// Ladybug needs typed tables before the first write.  The block of each version migrates from the version before.
// Times are ISO 8601 in UTC with microseconds, so that they sort as text; "" = not set.

// @read_version
MATCH (m:Meta {uid: 'schema'}) RETURN m.version AS version

// @write_version
MERGE (m:Meta {uid: 'schema'}) ON CREATE SET m.version = $version ON MATCH SET m.version = $version

// @v2
CREATE NODE TABLE IF NOT EXISTS Meta(uid STRING PRIMARY KEY, version INT64);
CREATE NODE TABLE IF NOT EXISTS Scope(uid STRING PRIMARY KEY, scope STRING);
CREATE NODE TABLE IF NOT EXISTS Shelf(uid STRING PRIMARY KEY, scope STRING, source STRING);
CREATE NODE TABLE IF NOT EXISTS Fact(
    uid STRING PRIMARY KEY, scope STRING, id STRING, kind STRING, status STRING, content STRING, digest STRING,
    speaker STRING, source STRING, position INT64, created_at STRING, valid_to STRING, superseded_at STRING,
    superseded_by STRING, version INT64, uses INT64, last_used_at STRING, indexed BOOLEAN,
    stored_at STRING, stored_by STRING, stored_trigger STRING, record STRING);
CREATE NODE TABLE IF NOT EXISTS Change(
    uid STRING PRIMARY KEY, scope STRING, id STRING, version INT64, change STRING, at STRING, author STRING,
    cause STRING, content STRING, before STRING);
CREATE NODE TABLE IF NOT EXISTS Digest(uid STRING PRIMARY KEY, scope STRING, fact_id STRING);
CREATE NODE TABLE IF NOT EXISTS Entity(uid STRING PRIMARY KEY, scope STRING, name STRING);
CREATE NODE TABLE IF NOT EXISTS Episode(
    uid STRING PRIMARY KEY, scope STRING, id STRING, status STRING, goal STRING, created_at STRING, source STRING,
    succeeded BOOLEAN, indexed BOOLEAN, record STRING);
CREATE NODE TABLE IF NOT EXISTS Conversation(
    uid STRING PRIMARY KEY, scope STRING, id STRING, started_at STRING, last_at STRING, ended_at STRING,
    turns INT64, metadata STRING);
CREATE NODE TABLE IF NOT EXISTS Invocation(
    uid STRING PRIMARY KEY, scope STRING, id STRING, conversation STRING, at STRING, position INT64, record STRING);
CREATE NODE TABLE IF NOT EXISTS Job(
    uid STRING PRIMARY KEY, scope STRING, kind STRING, state STRING, attempt INT64, cause STRING,
    created_at STRING, updated_at STRING, not_before STRING, error STRING, summary STRING, payload STRING);
CREATE NODE TABLE IF NOT EXISTS Spending(uid STRING PRIMARY KEY, scope STRING, day STRING, tokens INT64);
CREATE NODE TABLE IF NOT EXISTS Reranker(
    uid STRING PRIMARY KEY, scope STRING, version INT64, model STRING, dimension INT64, blob BLOB, updated_at STRING);
CREATE NODE TABLE IF NOT EXISTS Reward(uid STRING PRIMARY KEY, scope STRING, job_id STRING, at STRING, numbers STRING);
CREATE NODE TABLE IF NOT EXISTS Switch(
    uid STRING PRIMARY KEY, scope STRING, conversation STRING, may_read BOOLEAN, may_write BOOLEAN);
CREATE NODE TABLE IF NOT EXISTS ScopeKey(uid STRING PRIMARY KEY, scope STRING, wrapped STRING);
CREATE REL TABLE IF NOT EXISTS KEEPS(FROM Scope TO Shelf);
CREATE REL TABLE IF NOT EXISTS KEEPS_EPISODE(FROM Scope TO Episode);
CREATE REL TABLE IF NOT EXISTS KEEPS_CONVERSATION(FROM Scope TO Conversation);
CREATE REL TABLE IF NOT EXISTS HOLDS(FROM Shelf TO Fact, position INT64);
CREATE REL TABLE IF NOT EXISTS STATES(FROM Fact TO Entity);
CREATE REL TABLE IF NOT EXISTS ABOUT(FROM Fact TO Entity);
CREATE REL TABLE IF NOT EXISTS RELATES(FROM Entity TO Entity, predicate STRING, fact_id STRING);
CREATE REL TABLE IF NOT EXISTS DERIVED_FROM(FROM Fact TO Invocation);
CREATE REL TABLE IF NOT EXISTS SUPERSEDES(FROM Fact TO Fact);
CREATE REL TABLE IF NOT EXISTS CHANGED(FROM Fact TO Change);
CREATE REL TABLE IF NOT EXISTS HAS(FROM Conversation TO Invocation)

// @v3: undone_at and operation of invocations and episodes; epochs of scopes
ALTER TABLE Invocation ADD IF NOT EXISTS undone_at STRING DEFAULT '';
ALTER TABLE Invocation ADD IF NOT EXISTS operation STRING DEFAULT '';
ALTER TABLE Episode ADD IF NOT EXISTS undone_at STRING DEFAULT '';
ALTER TABLE Episode ADD IF NOT EXISTS operation STRING DEFAULT '';
CREATE NODE TABLE IF NOT EXISTS Epoch(
    uid STRING PRIMARY KEY, scope STRING, number INT64, erasures INT64, closed_until STRING, erased_at STRING)

// @v4: source nodes and edges to dependents; migration.py adds them for existing records.  Marks of the embedding model of a
// scope are deleted: the number of points decides (docs/adr/0014).
MATCH (s:Scope) WHERE s.uid CONTAINS '|keeper|embedding|' DETACH DELETE s;
CREATE NODE TABLE IF NOT EXISTS Source(uid STRING PRIMARY KEY, scope STRING, kind STRING);
CREATE REL TABLE IF NOT EXISTS RESTS_ON(FROM Fact TO Source, FROM Episode TO Source)
