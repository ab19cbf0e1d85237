// Statements on episodes.  Scope -KEEPS_EPISODE-> Episode.

// @merge_scope
MERGE (s:Scope {uid: $uid}) ON CREATE SET s.scope = $scope

// @existing
UNWIND $uids AS uid MATCH (e:Episode {uid: uid}) WHERE e.status <> 'condemned'
RETURN e.uid AS uid, e.scope AS scope, e.id AS id, e.status AS status, e.goal AS goal, e.created_at AS created_at, e.source AS source,
       e.succeeded AS succeeded, e.indexed AS indexed, e.record AS record, e.undone_at AS undone_at, e.operation AS operation

// @set updates existing episodes, @create adds the others (why not MERGE: jobs.cypher)
UNWIND $rows AS r MATCH (e:Episode {uid: r.uid})
SET e.status = r.status, e.goal = r.goal, e.source = r.source, e.succeeded = r.succeeded, e.indexed = r.indexed,
    e.record = r.record, e.undone_at = r.undone_at, e.operation = r.operation

// @create
UNWIND $rows AS r OPTIONAL MATCH (e:Episode {uid: r.uid}) WITH r, e WHERE e.uid IS NULL
MATCH (s:Scope {uid: r.root})
CREATE (s)-[:KEEPS_EPISODE]->(:Episode {uid: r.uid, scope: r.scope, id: r.id, status: r.status, goal: r.goal,
    created_at: r.created_at, source: r.source, succeeded: r.succeeded, indexed: r.indexed, record: r.record,
    undone_at: r.undone_at, operation: r.operation})

// @create_sources: missing source nodes, one per invocation and conversation that an episode was made from
UNWIND $rows AS r OPTIONAL MATCH (s:Source {uid: r.uid}) WITH r, s WHERE s.uid IS NULL
CREATE (:Source {uid: r.uid, scope: r.scope, kind: r.kind})

// @unlink_sources
MATCH (:Episode {uid: $uid})-[x:RESTS_ON]->(:Source) DELETE x

// @link_sources
UNWIND $rows AS r MATCH (e:Episode {uid: r.episode}) MATCH (s:Source {uid: r.source}) CREATE (e)-[:RESTS_ON]->(s)

// @forget_lonely_sources: source nodes without an episode
MATCH (s:Source {uid: $uid}) OPTIONAL MATCH (s)<-[x:RESTS_ON]-(:Episode) WITH s, count(x) AS resting WHERE resting = 0 DETACH DELETE s

// @sources_of
MATCH (:Episode {uid: $uid})-[:RESTS_ON]->(s:Source) RETURN s.uid AS uid

// @telling_of
MATCH (:Source {uid: $uid})<-[:RESTS_ON]-(e:Episode) RETURN DISTINCT e.uid AS uid

// @marked_by
MATCH (:Scope {uid: $root})-[:KEEPS_EPISODE]->(e:Episode) WHERE e.operation = $operation RETURN e.uid AS uid

// @changed_since
MATCH (:Scope {uid: $root})-[:KEEPS_EPISODE]->(e:Episode) WHERE e.created_at >= $at OR e.undone_at >= $at RETURN e.uid AS uid

// @mark_undone
UNWIND $uids AS uid MATCH (e:Episode {uid: uid}) WHERE e.status <> 'condemned'
SET e.status = $status, e.undone_at = $at, e.operation = $operation, e.indexed = false

// @mark_indexed
UNWIND $uids AS uid MATCH (e:Episode {uid: uid}) SET e.indexed = $indexed

// @listing
MATCH (:Scope {uid: $root})-[:KEEPS_EPISODE]->(e:Episode) WHERE e.status IN $statuses
  AND ($before = '' OR e.created_at < $before)
RETURN e.uid AS uid ORDER BY e.created_at DESC, e.uid SKIP $offset LIMIT $limit

// @not_indexed
MATCH (e:Episode) WHERE e.indexed = false AND e.status <> 'condemned' AND ($scope = '' OR e.scope = $scope)
RETURN e.uid AS uid ORDER BY e.created_at LIMIT $limit

// @tombstone
UNWIND $uids AS uid MATCH (e:Episode {uid: uid}) WHERE e.status <> 'condemned'
SET e.status = 'condemned' RETURN e.uid AS uid

// @tombstone_scope
MATCH (e:Episode) WHERE e.scope = $scope AND e.status <> 'condemned' SET e.status = 'condemned' RETURN e.uid AS uid

// @tombstoned
MATCH (e:Episode) WHERE e.status = 'condemned' RETURN e.scope AS scope, e.id AS id LIMIT $limit

// @forget
UNWIND $uids AS uid MATCH (e:Episode {uid: uid}) DETACH DELETE e

// @count_by_scope: episodes that should have vectors, of all scopes; scans a table
MATCH (e:Episode) WHERE e.status <> 'condemned' AND e.status <> 'undone' RETURN e.scope AS scope, count(*) AS n

// @forget_scope_sources
MATCH (n:Source) WHERE n.scope = $scope AND n.kind <> 'record' DETACH DELETE n

// @forget_scope
MATCH (e:Episode) WHERE e.scope = $scope DETACH DELETE e

// @forget_scope_root
MATCH (s:Scope {uid: $root}) DETACH DELETE s

// @count
MATCH (:Scope {uid: $root})-[:KEEPS_EPISODE]->(e:Episode) WHERE e.status = 'active' RETURN count(*) AS n
