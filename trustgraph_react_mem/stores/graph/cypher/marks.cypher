// Numbers that identify a data set.  Both engines run the same text.

// @read
MATCH (m:Meta {uid: $uid}) RETURN m.version AS number

// @create
MERGE (m:Meta {uid: $uid}) ON CREATE SET m.version = $number

// @set
MERGE (m:Meta {uid: $uid}) ON CREATE SET m.version = $number ON MATCH SET m.version = $number

// @any_fact
MATCH (n:Fact) RETURN n.scope AS scope LIMIT 1

// @any_episode
MATCH (n:Episode) RETURN n.scope AS scope LIMIT 1

// @any_conversation
MATCH (n:Conversation) RETURN n.scope AS scope LIMIT 1

// @any_job
MATCH (n:Job) RETURN n.scope AS scope LIMIT 1

// @any_key
MATCH (n:ScopeKey) RETURN n.scope AS scope LIMIT 1
