// Statements on conversations and their invocations.  Scope -KEEPS_CONVERSATION-> Conversation -HAS-> Invocation.

// @conversations
UNWIND $uids AS uid MATCH (c:Conversation {uid: uid})
RETURN c.uid AS uid, c.scope AS scope, c.id AS id, c.started_at AS started_at, c.last_at AS last_at,
       c.ended_at AS ended_at, c.turns AS turns, c.metadata AS metadata

// @known_invocations
UNWIND $uids AS uid MATCH (i:Invocation {uid: uid}) RETURN i.uid AS uid

// @merge_scope
MERGE (s:Scope {uid: $uid}) ON CREATE SET s.scope = $scope

// @create_conversation
CREATE (:Conversation {uid: $uid, scope: $scope, id: $id, started_at: $started_at, last_at: $last_at, ended_at: $ended_at,
    turns: $turns, metadata: $metadata})

// @keep_conversation
MATCH (s:Scope {uid: $root}), (c:Conversation {uid: $uid}) CREATE (s)-[:KEEPS_CONVERSATION]->(c) RETURN c.uid AS uid

// @extend_conversation: compare-and-set on the number of turns, so that positions have no gaps and no duplicates.
// The first SET takes the write lock of Neo4j before the number is read.
MATCH (c:Conversation {uid: $uid}) SET c.scope = $scope
WITH c WHERE c.turns = $expected
SET c.turns = $turns, c.last_at = $last_at, c.ended_at = $ended_at RETURN c.uid AS uid

// @create_invocations
UNWIND $rows AS r MATCH (c:Conversation {uid: r.conversation_uid})
CREATE (c)-[:HAS]->(:Invocation {uid: r.uid, scope: r.scope, id: r.id, conversation: r.conversation, at: r.at,
    position: r.position, record: r.record, undone_at: r.undone_at, operation: r.operation})

// @invocations
MATCH (:Conversation {uid: $uid})-[:HAS]->(i:Invocation) WHERE i.position >= $first
RETURN i.id AS id, i.conversation AS conversation, i.at AS at, i.position AS position, i.record AS record,
       i.undone_at AS undone_at, i.operation AS operation
ORDER BY position

// @invocations_by_id
UNWIND $uids AS uid MATCH (i:Invocation {uid: uid})
RETURN i.id AS id, i.conversation AS conversation, i.at AS at, i.position AS position, i.record AS record,
       i.undone_at AS undone_at, i.operation AS operation
ORDER BY conversation, position

// @rewrite
UNWIND $rows AS r MATCH (i:Invocation {uid: r.uid}) SET i.record = r.record

// @changed_since
MATCH (i:Invocation) WHERE i.scope = $scope AND (i.at >= $at OR i.undone_at >= $at)
RETURN i.id AS id, i.conversation AS conversation, i.at AS at, i.position AS position, i.record AS record,
       i.undone_at AS undone_at, i.operation AS operation

// @marked_by
MATCH (i:Invocation) WHERE i.scope = $scope AND i.operation = $operation
RETURN i.id AS id, i.conversation AS conversation, i.at AS at, i.position AS position, i.record AS record,
       i.undone_at AS undone_at, i.operation AS operation

// @mark_undone
UNWIND $uids AS uid MATCH (i:Invocation {uid: uid}) SET i.undone_at = $at, i.operation = $operation

// @listing
MATCH (:Scope {uid: $root})-[:KEEPS_CONVERSATION]->(c:Conversation)
RETURN c.uid AS uid ORDER BY c.last_at DESC, c.uid SKIP $offset LIMIT $limit

// @within: those whose id begins with a prefix and whose last invocation is within a span of time
MATCH (:Scope {uid: $root})-[:KEEPS_CONVERSATION]->(c:Conversation)
WHERE c.last_at >= $after AND c.last_at <= $until AND c.id STARTS WITH $prefix
RETURN c.uid AS uid ORDER BY c.last_at DESC, c.id LIMIT $limit

// @silent_since
MATCH (:Scope {uid: $root})-[:KEEPS_CONVERSATION]->(c:Conversation) WHERE c.last_at < $before
RETURN c.uid AS uid ORDER BY c.last_at LIMIT $limit

// @end
MATCH (c:Conversation {uid: $uid}) SET c.scope = $scope
WITH c WHERE c.ended_at = '' SET c.ended_at = $at RETURN c.uid AS uid

// @set_metadata
MATCH (c:Conversation {uid: $uid}) SET c.scope = $scope
WITH c WHERE c.metadata = $expected SET c.metadata = $metadata RETURN c.uid AS uid

// @idle_since
MATCH (c:Conversation) WHERE c.ended_at = '' AND c.last_at < $before
RETURN c.uid AS uid ORDER BY c.last_at LIMIT $limit

// @forget_invocations
MATCH (:Conversation {uid: $uid})-[:HAS]->(i:Invocation) DETACH DELETE i

// @forget_events_of_root
MATCH (:Scope {uid: $root})-[:KEEPS_CONVERSATION]->(c:Conversation)-[:HAS]->(i:Invocation) DETACH DELETE i

// @forget_sessions_of_root
MATCH (:Scope {uid: $root})-[:KEEPS_CONVERSATION]->(c:Conversation) DETACH DELETE c

// @forget_session_roots
MATCH (s:Scope) WHERE s.scope = $scope AND s.uid STARTS WITH $prefix DETACH DELETE s

// @forget
MATCH (c:Conversation {uid: $uid}) DETACH DELETE c

// @conversations_and_turns
MATCH (:Scope {uid: $root})-[:KEEPS_CONVERSATION]->(c:Conversation) RETURN count(*) AS n, sum(c.turns) AS turns

// @forget_scope_invocations
MATCH (i:Invocation) WHERE i.scope = $scope DETACH DELETE i

// @forget_scope_conversations
MATCH (c:Conversation) WHERE c.scope = $scope DETACH DELETE c

// @forget_scope_root
MATCH (s:Scope {uid: $root}) DETACH DELETE s
