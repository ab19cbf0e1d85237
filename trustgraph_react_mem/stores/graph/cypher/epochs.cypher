// Epochs of scopes: see memory/fencing.py and fencing.py.

// @read
MATCH (e:Epoch {uid: $uid}) RETURN e.number AS number, e.erasures AS erasures, e.closed_until AS closed_until

// @begin
MERGE (e:Epoch {uid: $uid})
ON CREATE SET e.number = 0, e.erasures = 0, e.closed_until = '', e.scope = '', e.erased_at = ''
RETURN e.number AS number, e.erasures AS erasures, e.closed_until AS closed_until

// @hold: the SET takes the write lock of Neo4j before the number is read
MATCH (e:Epoch {uid: $uid}) SET e.erasures = e.erasures WITH e WHERE e.number = $number RETURN e.number AS number

// @close
MERGE (e:Epoch {uid: $uid})
ON CREATE SET e.number = 1, e.erasures = $erased, e.closed_until = $until, e.scope = $scope, e.erased_at = $at
ON MATCH SET e.number = e.number + 1, e.erasures = e.erasures + $erased, e.closed_until = $until,
    e.scope = CASE WHEN $erased = 1 THEN $scope ELSE e.scope END,
    e.erased_at = CASE WHEN $erased = 1 THEN $at ELSE e.erased_at END
RETURN e.number AS number, e.erasures AS erasures

// @close_held: only if the number is that of the token. Repeated after an unconfirmed commit, it recognises its own mark.
MATCH (e:Epoch {uid: $uid}) SET e.erasures = e.erasures
WITH e WHERE e.number = $number OR (e.number = $number + 1 AND e.closed_until = $until)
SET e.number = $number + 1, e.closed_until = $until
RETURN e.number AS number, e.erasures AS erasures

// @advance: only if the number is that of the token
MATCH (e:Epoch {uid: $uid}) SET e.erasures = e.erasures
WITH e WHERE e.number = $number SET e.number = $number + 1 RETURN e.number AS number

// @advance_any: unconditional, for an embedded engine, whose numbers are in memory
MERGE (e:Epoch {uid: $uid})
ON CREATE SET e.number = 1, e.erasures = 0, e.closed_until = '', e.scope = '', e.erased_at = ''
ON MATCH SET e.number = e.number + 1
RETURN e.number AS number

// @reopen: unless the scope was closed again since
MATCH (e:Epoch {uid: $uid}) SET e.erasures = e.erasures WITH e WHERE e.number = $number SET e.closed_until = ''

// @erased_since
MATCH (e:Epoch) WHERE e.scope <> '' AND e.erased_at >= $at RETURN e.scope AS scope, e.erased_at AS erased_at ORDER BY scope

// @forget_names
MATCH (e:Epoch) WHERE e.scope <> '' AND e.erased_at < $before SET e.scope = ''
