"""The graph engines (Neo4j, Ladybug) and the repositories written in Cypher over them."""
