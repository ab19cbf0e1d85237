// The job store, and the tokens that each scope spent per day.

// @replace_0_1_0: rows keyed by the id alone
UNWIND $rows AS r MATCH (j:Job {uid: r.id}) WHERE j.scope = r.scope DETACH DELETE j

// @set updates existing entries, @create adds the others.  Not one MERGE, because after an UNWIND it makes Ladybug scan the table
UNWIND $rows AS r MATCH (j:Job {uid: r.uid})
SET j.scope = r.scope, j.kind = r.kind, j.state = r.state, j.attempt = r.attempt, j.cause = r.cause,
    j.created_at = r.created_at, j.updated_at = r.updated_at, j.not_before = r.not_before, j.error = r.error,
    j.summary = r.summary, j.payload = r.payload

// @create: missing ones
UNWIND $rows AS r OPTIONAL MATCH (j:Job {uid: r.uid}) WITH r, j WHERE j.uid IS NULL
CREATE (:Job {uid: r.uid, scope: r.scope, kind: r.kind, state: r.state, attempt: r.attempt, cause: r.cause,
    created_at: r.created_at, updated_at: r.updated_at, not_before: r.not_before, error: r.error,
    summary: r.summary, payload: r.payload})

// @entries
UNWIND $uids AS uid MATCH (j:Job {uid: uid})
RETURN j.uid AS uid, j.scope AS scope, j.kind AS kind, j.state AS state, j.attempt AS attempt, j.cause AS cause,
       j.created_at AS created_at, j.updated_at AS updated_at, j.not_before AS not_before, j.error AS error,
       j.summary AS summary, j.payload AS payload

// @listing
MATCH (j:Job) WHERE j.scope = $scope AND j.state IN $states
RETURN j.uid AS uid ORDER BY j.updated_at DESC, j.uid LIMIT $limit

// @listing_everywhere
MATCH (j:Job) WHERE j.state IN $states
RETURN j.uid AS uid ORDER BY j.updated_at DESC, j.uid LIMIT $limit

// @last_done
MATCH (j:Job) WHERE j.scope = $scope AND j.kind = $kind AND j.state = 'done'
  AND NOT any(note IN $without WHERE j.summary CONTAINS note)
RETURN j.uid AS uid ORDER BY j.updated_at DESC, j.uid LIMIT 1

// @due
MATCH (j:Job) WHERE j.state = 'deferred' AND (j.not_before <= $now OR j.updated_at > $later)
RETURN j.uid AS uid ORDER BY j.created_at, j.uid LIMIT $limit

// @prune
MATCH (j:Job) WHERE j.state IN ['done', 'cancelled', 'dead']
  AND j.updated_at < CASE j.state WHEN 'dead' THEN $dead_before ELSE $before END DETACH DELETE j

// @prune_spending
MATCH (s:Spending) WHERE s.day < $day DETACH DELETE s

// @remove
UNWIND $uids AS uid MATCH (j:Job {uid: uid}) WHERE j.scope IN $scopes DETACH DELETE j

// @forget_scope
MATCH (j:Job) WHERE j.scope = $scope DETACH DELETE j

// @forget_spending
MATCH (s:Spending) WHERE s.scope = $scope DETACH DELETE s

// @spend
MERGE (s:Spending {uid: $uid}) ON CREATE SET s.scope = $scope, s.day = $day, s.tokens = $tokens
ON MATCH SET s.tokens = s.tokens + $tokens RETURN s.tokens AS tokens

// @spent
MATCH (s:Spending {uid: $uid}) RETURN s.tokens AS tokens
