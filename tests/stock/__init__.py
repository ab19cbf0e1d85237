"""Against stock TrustGraph in its own environment (``make stock``): gateway, flow, prompt and model service, agents, CLI.

What needs Cassandra there (configuration, librarian, IAM) is stood in for.
"""
