"""Against stock TrustGraph in its own environment: gateway, flow, prompt and model service, agents, CLI.

What needs Cassandra there (configuration, librarian, IAM) is stood in for.
"""
