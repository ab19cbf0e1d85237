// Marks: Scope nodes whose key ends with the embedding model that the scope is read with (scope_models.py).

// @marked
UNWIND $uids AS uid MATCH (s:Scope {uid: uid}) RETURN s.uid AS uid

// @mark
MERGE (s:Scope {uid: $uid}) ON CREATE SET s.scope = $scope

// @unmark
UNWIND $uids AS uid MATCH (s:Scope {uid: uid}) DETACH DELETE s

// @count
MATCH (s:Scope) WHERE s.scope = $scope AND s.uid STARTS WITH $prefix RETURN count(*) AS n

// @forget
MATCH (s:Scope) WHERE s.scope = $scope AND s.uid STARTS WITH $prefix DETACH DELETE s
