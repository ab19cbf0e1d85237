// Scopes whose key starts with the prefix of the workspace, one statement per kind of node.

// @fact
MATCH (n:Fact) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @change
MATCH (n:Change) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @entity
MATCH (n:Entity) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @episode
MATCH (n:Episode) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @conversation
MATCH (n:Conversation) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @invocation
MATCH (n:Invocation) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @job
MATCH (n:Job) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @spending
MATCH (n:Spending) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @reranker
MATCH (n:Reranker) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @reward
MATCH (n:Reward) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @switch
MATCH (n:Switch) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @source
MATCH (n:Source) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope

// @scope
MATCH (n:Scope) WHERE n.scope STARTS WITH $prefix RETURN DISTINCT n.scope AS scope
