// Statements on facts, their history, entities and edges.  Both engines run the same text.
//
// Ladybug finds a node by its key or by an edge, and otherwise scans the table.  The facts of a scope are therefore in
// buckets (fact_statements.py): Scope -KEEPS-> Shelf -HOLDS-> Fact.
// Frequent statements start from a key or a bucket.  A statement that follows an edge takes only one key, because after an
// UNWIND the engine scans tables again.  Only erasing a scope, export, rollback and the reconciler scan tables; there, the
// result must not depend on edges.

// @existing
UNWIND $uids AS uid MATCH (f:Fact {uid: uid})
RETURN f.uid AS uid, f.id AS id, f.kind AS kind, f.status AS status, f.content AS content, f.speaker AS speaker,
       f.source AS source, f.position AS position, f.created_at AS created_at, f.valid_to AS valid_to,
       f.superseded_at AS superseded_at, f.superseded_by AS superseded_by, f.version AS version, f.uses AS uses,
       f.last_used_at AS last_used_at, f.indexed AS indexed, f.stored_at AS stored_at, f.stored_by AS stored_by,
       f.stored_trigger AS stored_trigger, f.record AS record, f.scope AS scope

// @merge_scope
MERGE (s:Scope {uid: $uid}) ON CREATE SET s.scope = $scope

// @known_buckets
UNWIND $uids AS uid MATCH (h:Shelf {uid: uid}) RETURN h.uid AS uid

// @create_buckets
UNWIND $rows AS r MATCH (s:Scope {uid: r.root})
CREATE (s)-[:KEEPS]->(:Shelf {uid: r.uid, scope: r.scope, source: r.source})

// @create
UNWIND $rows AS r MATCH (h:Shelf {uid: r.bucket})
CREATE (h)-[:HOLDS {position: r.position}]->(f:Fact {uid: r.uid, scope: r.scope, id: r.id, kind: r.kind, status: r.status, content: r.content,
    digest: r.digest, speaker: r.speaker, source: r.source, position: r.position, created_at: r.created_at,
    valid_to: r.valid_to, superseded_at: r.superseded_at, superseded_by: r.superseded_by, version: r.version,
    uses: r.uses, last_used_at: r.last_used_at, indexed: r.indexed, stored_at: r.stored_at, stored_by: r.stored_by,
    stored_trigger: r.stored_trigger, record: r.record})
RETURN f.uid AS uid

// @leave_bucket
MATCH (:Fact {uid: $uid})<-[x:HOLDS]-(:Shelf) DELETE x

// @enter_bucket
UNWIND $rows AS r MATCH (h:Shelf {uid: r.bucket}) MATCH (f:Fact {uid: r.fact})
CREATE (h)-[:HOLDS {position: r.position}]->(f) RETURN f.uid AS uid

// @forget_empty_buckets
MATCH (h:Shelf {uid: $uid}) OPTIONAL MATCH (h)-[x:HOLDS]->(:Fact) WITH h, count(x) AS held WHERE held = 0 DETACH DELETE h

// @replace: compare-and-set on the version. The first SET takes the write lock of Neo4j before the version is read.
UNWIND $rows AS r MATCH (f:Fact {uid: r.uid}) SET f.scope = r.scope
WITH f, r WHERE f.version = r.expected
SET f.kind = r.kind, f.status = r.status, f.content = r.content, f.digest = r.digest, f.speaker = r.speaker,
    f.source = r.source, f.position = r.position, f.valid_to = r.valid_to, f.superseded_at = r.superseded_at,
    f.superseded_by = r.superseded_by, f.version = r.version, f.uses = r.uses, f.last_used_at = r.last_used_at,
    f.indexed = r.indexed, f.record = r.record
RETURN f.uid AS uid

// @log_change
UNWIND $rows AS r MATCH (f:Fact {uid: r.fact})
CREATE (f)-[:CHANGED]->(:Change {uid: r.uid, scope: r.scope, id: r.id, version: r.version, change: r.change, at: r.at,
    author: r.author, cause: r.cause, content: r.content, before: r.before})

// @set_digests updates existing digests, @create_digests adds the others (why not MERGE: jobs.cypher)
UNWIND $rows AS r MATCH (d:Digest {uid: r.uid}) SET d.fact_id = r.fact_id

// @create_digests
UNWIND $rows AS r OPTIONAL MATCH (d:Digest {uid: r.uid}) WITH r, d WHERE d.uid IS NULL
CREATE (:Digest {uid: r.uid, scope: r.scope, fact_id: r.fact_id})

// @by_digests
UNWIND $uids AS uid MATCH (d:Digest {uid: uid}) RETURN d.uid AS uid, d.fact_id AS fact_id

// @create_entities: missing ones
UNWIND $rows AS r OPTIONAL MATCH (e:Entity {uid: r.uid}) WITH r, e WHERE e.uid IS NULL
CREATE (:Entity {uid: r.uid, scope: r.scope, name: r.name})

// @link_entities
UNWIND $rows AS r MATCH (f:Fact {uid: r.fact}) MATCH (e:Entity {uid: r.entity}) CREATE (f)-[:ABOUT]->(e)

// @unlink_entities
MATCH (:Fact {uid: $uid})-[x:ABOUT]->(:Entity) DELETE x

// @link_invocations
UNWIND $rows AS r MATCH (f:Fact {uid: r.fact}) MATCH (i:Invocation {uid: r.invocation}) CREATE (f)-[:DERIVED_FROM]->(i)

// @create_sources: missing source nodes, one per record that another depends on
UNWIND $rows AS r OPTIONAL MATCH (s:Source {uid: r.uid}) WITH r, s WHERE s.uid IS NULL
CREATE (:Source {uid: r.uid, scope: r.scope, kind: r.kind})

// @link_sources
UNWIND $rows AS r MATCH (f:Fact {uid: r.fact}) MATCH (s:Source {uid: r.source}) CREATE (f)-[:RESTS_ON]->(s)

// @unlink_sources
MATCH (:Fact {uid: $uid})-[x:RESTS_ON]->(:Source) DELETE x

// @forget_lonely_sources: source nodes without dependents
MATCH (s:Source {uid: $uid}) OPTIONAL MATCH (s)<-[x:RESTS_ON]-(:Fact) WITH s, count(x) AS resting WHERE resting = 0 DETACH DELETE s

// @dependents: of one record, which need not exist any more
MATCH (:Source {uid: $uid})<-[:RESTS_ON]-(f:Fact) RETURN DISTINCT f.uid AS uid

// @turns_of_invocation
MATCH (:Invocation {uid: $uid})<-[:DERIVED_FROM]-(f:Fact) WHERE f.kind = 'turn' RETURN DISTINCT f.uid AS uid

// @link_superseded
UNWIND $rows AS r MATCH (n:Fact {uid: r.new}) MATCH (o:Fact {uid: r.old}) MERGE (n)-[:SUPERSEDES]->(o)

// @replacements: of a whole scope, for an export; scans a table
MATCH (n:Fact)-[:SUPERSEDES]->(o:Fact)
WHERE n.scope = $scope AND n.status <> 'condemned' AND o.status <> 'condemned'
RETURN n.id AS new, o.id AS old ORDER BY new, old

// @mark_indexed
UNWIND $uids AS uid MATCH (f:Fact {uid: uid}) SET f.indexed = $indexed

// @touch
UNWIND $uids AS uid MATCH (f:Fact {uid: uid}) WHERE f.status <> 'condemned' AND coalesce(f.last_used_at, '') < $at
SET f.uses = coalesce(f.uses, 0) + 1, f.last_used_at = $at, f.indexed = false

// @listing: an active entry that another one replaces counts as superseded from its date on
MATCH (:Scope {uid: $root})-[:KEEPS]->(h:Shelf)-[:HOLDS]->(f:Fact)
WHERE ($source = '' OR h.source = $source) AND f.kind IN $kinds
  AND CASE WHEN f.status = 'active' AND f.superseded_by <> '' AND f.valid_to <> '' AND f.valid_to <= $now AND f.kind <> 'turn'
    THEN $former ELSE f.status IN $statuses END
  AND ($before = '' OR f.created_at < $before)
RETURN f.uid AS uid ORDER BY f.created_at DESC, f.position DESC, f.uid SKIP $offset LIMIT $limit

// @listing_whole: of all sources and times. Conditions that hold for every record cost a third of the time.
MATCH (:Scope {uid: $root})-[:KEEPS]->(:Shelf)-[:HOLDS]->(f:Fact)
WHERE f.kind IN $kinds
  AND CASE WHEN f.status = 'active' AND f.superseded_by <> '' AND f.valid_to <> '' AND f.valid_to <= $now AND f.kind <> 'turn'
    THEN $former ELSE f.status IN $statuses END
RETURN f.uid AS uid ORDER BY f.created_at DESC, f.position DESC, f.uid SKIP $offset LIMIT $limit

// @listing_about: an entity, whose key contains the scope
MATCH (:Entity {uid: $uid})<-[:ABOUT]-(f:Fact)
WHERE ($source = '' OR f.source = $source) AND f.kind IN $kinds
  AND CASE WHEN f.status = 'active' AND f.superseded_by <> '' AND f.valid_to <> '' AND f.valid_to <= $now AND f.kind <> 'turn'
    THEN $former ELSE f.status IN $statuses END
  AND ($before = '' OR f.created_at < $before)
RETURN DISTINCT f.uid AS uid, f.created_at AS created_at, f.position AS position
ORDER BY created_at DESC, position DESC, uid SKIP $offset LIMIT $limit

// @kept: facts after a place in the order of an export
MATCH (:Scope {uid: $root})-[:KEEPS]->(:Shelf)-[:HOLDS]->(f:Fact)
WHERE f.status <> 'condemned' AND (f.source > $source OR (f.source = $source
    AND (f.position > $position OR (f.position = $position AND f.id > $id))))
RETURN f.uid AS uid ORDER BY f.source, f.position, f.id LIMIT $limit

// @known_changes
UNWIND $uids AS uid MATCH (c:Change {uid: uid}) RETURN c.uid AS uid

// @bucket
MATCH (:Shelf {uid: $uid})-[x:HOLDS]->(f:Fact) WHERE x.position >= $first AND x.position <= $last RETURN f.uid AS uid

// @buckets_of_source
MATCH (:Scope {uid: $root})-[:KEEPS]->(h:Shelf) WHERE h.source = $source RETURN h.uid AS uid

// @not_indexed
MATCH (f:Fact) WHERE f.indexed = false AND f.status <> 'condemned' AND ($scope = '' OR f.scope = $scope)
RETURN f.uid AS uid ORDER BY f.created_at LIMIT $limit

// @entities_about
MATCH (:Fact {uid: $uid})-[:ABOUT]->(e:Entity) RETURN DISTINCT e.uid AS uid

// @entities_stated
MATCH (:Fact {uid: $uid})-[:STATES]->(a:Entity)-[x:RELATES]->(b:Entity) WHERE x.fact_id = $id
RETURN a.uid AS subject, b.uid AS object

// @history
MATCH (:Fact {uid: $uid})-[:CHANGED]->(c:Change)
RETURN c.id AS id, c.version AS version, c.change AS change, c.at AS at, c.author AS author, c.cause AS cause,
       c.content AS content, c.before AS before
ORDER BY version DESC

// @changes_since
MATCH (c:Change) WHERE c.scope = $scope AND c.at >= $at
RETURN c.id AS id, c.version AS version, c.change AS change, c.at AS at, c.author AS author, c.cause AS cause,
       c.content AS content, c.before AS before
ORDER BY at DESC, version DESC, id

// @changes_by
MATCH (c:Change) WHERE c.scope = $scope AND c.cause = $cause
RETURN c.id AS id, c.version AS version, c.change AS change, c.at AS at, c.author AS author, c.cause AS cause,
       c.content AS content, c.before AS before
ORDER BY at DESC, version DESC, id

// @stored_since
MATCH (f:Fact) WHERE f.scope = $scope AND f.stored_at >= $at AND f.status <> 'condemned'
RETURN f.uid AS uid ORDER BY f.stored_at DESC, f.uid

// @tombstone
UNWIND $uids AS uid MATCH (f:Fact {uid: uid}) WHERE f.status <> 'condemned' SET f.status = 'condemned' RETURN f.uid AS uid

// @tombstone_scope
MATCH (f:Fact) WHERE f.scope = $scope AND f.status <> 'condemned' SET f.status = 'condemned' RETURN f.uid AS uid

// @tombstoned
MATCH (f:Fact) WHERE f.status = 'condemned' RETURN f.scope AS scope, f.id AS id LIMIT $limit

// @forget_relations
MATCH (:Fact {uid: $uid})-[:STATES]->(:Entity)-[x:RELATES]->(:Entity) WHERE x.fact_id = $id DELETE x

// @forget_changes
MATCH (:Fact {uid: $uid})-[:CHANGED]->(c:Change) DETACH DELETE c

// @forget_digests
UNWIND $rows AS r MATCH (d:Digest {uid: r.uid}) WHERE d.fact_id = r.fact_id DETACH DELETE d

// @forget
UNWIND $uids AS uid MATCH (f:Fact {uid: uid}) DETACH DELETE f

// @forget_orphans
MATCH (e:Entity {uid: $uid}) OPTIONAL MATCH (e)<-[x:ABOUT]-(:Fact) WITH e, count(x) AS facts WHERE facts = 0
OPTIONAL MATCH (e)-[y:RELATES]-(:Entity) WITH e, count(y) AS relations WHERE relations = 0
DETACH DELETE e

// @count
MATCH (:Scope {uid: $root})-[:KEEPS]->(:Shelf)-[:HOLDS]->(f:Fact)
WHERE f.status = 'active'
  AND CASE WHEN f.superseded_by <> '' AND f.valid_to <> '' AND f.valid_to <= $now AND f.kind <> 'turn' THEN false ELSE true END
RETURN f.kind AS kind, count(*) AS n

// @count_by_scope: facts that should have vectors, of all scopes; scans a table
MATCH (f:Fact) WHERE f.status <> 'condemned' AND f.status <> 'undone' RETURN f.scope AS scope, count(*) AS n

// @forget_scope_changes
MATCH (n:Change) WHERE n.scope = $scope DETACH DELETE n

// @forget_scope_digests
MATCH (n:Digest) WHERE n.scope = $scope DETACH DELETE n

// @forget_scope_entities
MATCH (n:Entity) WHERE n.scope = $scope DETACH DELETE n

// @forget_scope_sources: of facts
MATCH (n:Source) WHERE n.scope = $scope AND n.kind = 'record' DETACH DELETE n

// @forget_scope_facts
MATCH (n:Fact) WHERE n.scope = $scope DETACH DELETE n

// @forget_scope_buckets
MATCH (h:Shelf) WHERE h.scope = $scope DETACH DELETE h

// @forget_scope_root
MATCH (s:Scope {uid: $root}) DETACH DELETE s
