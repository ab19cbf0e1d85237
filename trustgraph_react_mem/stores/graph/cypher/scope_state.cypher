// The state of a whole scope: reranker weights and rewards, switches, encryption key.

// @load_weights
MATCH (r:Reranker {uid: $uid})
RETURN r.version AS version, r.model AS model, r.dimension AS dimension, r.blob AS blob, r.updated_at AS updated_at

// @create_weights
CREATE (r:Reranker {uid: $uid, scope: $scope, version: $version, model: $model, dimension: $dimension, blob: $blob,
    updated_at: $updated_at})

// @replace_weights
MATCH (r:Reranker {uid: $uid}) SET r.scope = $scope
WITH r WHERE r.version = $expected
SET r.version = $version, r.model = $model, r.dimension = $dimension, r.blob = $blob, r.updated_at = $updated_at
RETURN r.uid AS uid

// @log_reward
MERGE (r:Reward {uid: $uid}) ON CREATE SET r.scope = $scope, r.job_id = $job_id, r.at = $at, r.numbers = $numbers

// @reward_log
MATCH (r:Reward) WHERE r.scope = $scope RETURN r.job_id AS job_id, r.at AS at, r.numbers AS numbers
ORDER BY at DESC, job_id DESC LIMIT $limit

// @forget_rewards
MATCH (r:Reward) WHERE r.scope = $scope DETACH DELETE r

// @forget_weights
MATCH (r:Reranker {uid: $uid}) DETACH DELETE r

// @switches
UNWIND $uids AS uid MATCH (s:Switch {uid: uid}) RETURN s.may_read AS may_read, s.may_write AS may_write

// @list_switches
MATCH (s:Switch) WHERE s.scope = $scope
RETURN s.conversation AS conversation, s.may_read AS may_read, s.may_write AS may_write

// @set_switch
MERGE (s:Switch {uid: $uid})
ON CREATE SET s.scope = $scope, s.conversation = $conversation, s.may_read = $may_read, s.may_write = $may_write
ON MATCH SET s.may_read = $may_read, s.may_write = $may_write

// @forget_switches
MATCH (s:Switch) WHERE s.scope = $scope DETACH DELETE s

// @key
MATCH (k:ScopeKey {uid: $uid}) RETURN k.wrapped AS wrapped

// @create_key
CREATE (k:ScopeKey {uid: $uid, scope: $scope, wrapped: $wrapped})

// @count_key
MATCH (k:ScopeKey {uid: $uid}) RETURN count(*) AS n

// @destroy_key
MATCH (k:ScopeKey {uid: $uid}) DETACH DELETE k

// @replace_key
MATCH (k:ScopeKey {uid: $uid}) SET k.scope = k.scope
WITH k WHERE k.wrapped = $before
SET k.wrapped = $after
RETURN k.uid AS uid

// @count_keys
MATCH (k:ScopeKey) WHERE k.scope = $scope RETURN count(*) AS n

// @destroy_keys
MATCH (k:ScopeKey) WHERE k.scope = $scope DETACH DELETE k

// @key_scopes
MATCH (k:ScopeKey) WHERE k.scope STARTS WITH $prefix RETURN DISTINCT k.scope AS scope

// @all_keys
MATCH (k:ScopeKey) RETURN k.uid AS uid, k.scope AS scope, k.wrapped AS wrapped

// @key_place: which directory holds the keys, as a number; nothing if the graph does
MATCH (m:Meta {uid: 'scope-keys'}) RETURN m.version AS place

// @set_key_place
MERGE (m:Meta {uid: 'scope-keys'}) ON CREATE SET m.version = $place RETURN m.version AS place
