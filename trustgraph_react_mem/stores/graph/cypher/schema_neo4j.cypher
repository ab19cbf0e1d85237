// Constraints and indexes for Neo4j.  The labels and properties are those of schema_ladybug.cypher.
// A composite index is used only by statements that name all of its properties, so queries by scope need a separate index.

// @read_version
MATCH (m:Meta {uid: 'schema'}) RETURN m.version AS version

// @write_version
MERGE (m:Meta {uid: 'schema'}) ON CREATE SET m.version = $version ON MATCH SET m.version = $version

// @v2
CREATE CONSTRAINT meta_uid IF NOT EXISTS FOR (n:Meta) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT scope_uid IF NOT EXISTS FOR (n:Scope) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT shelf_uid IF NOT EXISTS FOR (n:Shelf) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT fact_uid IF NOT EXISTS FOR (n:Fact) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT change_uid IF NOT EXISTS FOR (n:Change) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT digest_uid IF NOT EXISTS FOR (n:Digest) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (n:Entity) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT episode_uid IF NOT EXISTS FOR (n:Episode) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT conversation_uid IF NOT EXISTS FOR (n:Conversation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT invocation_uid IF NOT EXISTS FOR (n:Invocation) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT job_uid IF NOT EXISTS FOR (n:Job) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT spending_uid IF NOT EXISTS FOR (n:Spending) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT reranker_uid IF NOT EXISTS FOR (n:Reranker) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT reward_uid IF NOT EXISTS FOR (n:Reward) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT switch_uid IF NOT EXISTS FOR (n:Switch) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT scope_key_uid IF NOT EXISTS FOR (n:ScopeKey) REQUIRE n.uid IS UNIQUE;
CREATE INDEX fact_scope IF NOT EXISTS FOR (n:Fact) ON (n.scope);
CREATE INDEX scope_scope IF NOT EXISTS FOR (n:Scope) ON (n.scope);
CREATE INDEX shelf_scope IF NOT EXISTS FOR (n:Shelf) ON (n.scope);
CREATE INDEX fact_indexed IF NOT EXISTS FOR (n:Fact) ON (n.indexed);
CREATE INDEX fact_status IF NOT EXISTS FOR (n:Fact) ON (n.status);
CREATE INDEX change_scope IF NOT EXISTS FOR (n:Change) ON (n.scope);
CREATE INDEX digest_scope IF NOT EXISTS FOR (n:Digest) ON (n.scope);
CREATE INDEX entity_scope IF NOT EXISTS FOR (n:Entity) ON (n.scope);
CREATE INDEX episode_scope IF NOT EXISTS FOR (n:Episode) ON (n.scope);
CREATE INDEX episode_status IF NOT EXISTS FOR (n:Episode) ON (n.status);
CREATE INDEX episode_indexed IF NOT EXISTS FOR (n:Episode) ON (n.indexed);
CREATE INDEX conversation_scope IF NOT EXISTS FOR (n:Conversation) ON (n.scope);
CREATE INDEX conversation_open IF NOT EXISTS FOR (n:Conversation) ON (n.ended_at, n.last_at);
CREATE INDEX invocation_scope IF NOT EXISTS FOR (n:Invocation) ON (n.scope);
CREATE INDEX job_scope IF NOT EXISTS FOR (n:Job) ON (n.scope);
CREATE INDEX job_state IF NOT EXISTS FOR (n:Job) ON (n.state);
CREATE INDEX job_due IF NOT EXISTS FOR (n:Job) ON (n.state, n.not_before);
CREATE INDEX job_updated IF NOT EXISTS FOR (n:Job) ON (n.state, n.updated_at);
CREATE INDEX spending_scope IF NOT EXISTS FOR (n:Spending) ON (n.scope);
CREATE INDEX reward_scope IF NOT EXISTS FOR (n:Reward) ON (n.scope);
CREATE INDEX reranker_scope IF NOT EXISTS FOR (n:Reranker) ON (n.scope);
CREATE INDEX scope_key_scope IF NOT EXISTS FOR (n:ScopeKey) ON (n.scope);
CREATE INDEX switch_scope IF NOT EXISTS FOR (n:Switch) ON (n.scope)

// @v3: undone_at and operation of Invocation and Episode, epochs of scopes; indexes of one property each where an early v2 had more
CREATE CONSTRAINT epoch_uid IF NOT EXISTS FOR (n:Epoch) REQUIRE n.uid IS UNIQUE;
CREATE INDEX epoch_erased IF NOT EXISTS FOR (n:Epoch) ON (n.erased_at);
CREATE INDEX change_cause IF NOT EXISTS FOR (n:Change) ON (n.scope, n.cause);
DROP INDEX fact_scope IF EXISTS;
CREATE INDEX fact_scope IF NOT EXISTS FOR (n:Fact) ON (n.scope);
DROP INDEX change_scope IF EXISTS;
CREATE INDEX change_scope IF NOT EXISTS FOR (n:Change) ON (n.scope);
DROP INDEX episode_scope IF EXISTS;
CREATE INDEX episode_scope IF NOT EXISTS FOR (n:Episode) ON (n.scope);
DROP INDEX conversation_scope IF EXISTS;
CREATE INDEX conversation_scope IF NOT EXISTS FOR (n:Conversation) ON (n.scope);
DROP INDEX job_scope IF EXISTS;
CREATE INDEX job_scope IF NOT EXISTS FOR (n:Job) ON (n.scope);
DROP INDEX reward_scope IF EXISTS;
CREATE INDEX reward_scope IF NOT EXISTS FOR (n:Reward) ON (n.scope);
DROP INDEX job_state IF EXISTS;
CREATE INDEX job_state IF NOT EXISTS FOR (n:Job) ON (n.state);
CREATE INDEX scope_scope IF NOT EXISTS FOR (n:Scope) ON (n.scope);
CREATE INDEX episode_status IF NOT EXISTS FOR (n:Episode) ON (n.status);
CREATE INDEX job_due IF NOT EXISTS FOR (n:Job) ON (n.state, n.not_before);
CREATE INDEX job_updated IF NOT EXISTS FOR (n:Job) ON (n.state, n.updated_at);
CREATE INDEX reranker_scope IF NOT EXISTS FOR (n:Reranker) ON (n.scope);
CREATE INDEX scope_key_scope IF NOT EXISTS FOR (n:ScopeKey) ON (n.scope)

// @v4: source nodes and edges to dependents; migration.py adds them for existing records.  Marks of the embedding model of a
// scope are deleted: the number of points decides (docs/adr/0014).
MATCH (s:Scope) WHERE s.uid CONTAINS '|keeper|embedding|' DETACH DELETE s;
CREATE CONSTRAINT source_uid IF NOT EXISTS FOR (n:Source) REQUIRE n.uid IS UNIQUE;
CREATE INDEX source_scope IF NOT EXISTS FOR (n:Source) ON (n.scope)
