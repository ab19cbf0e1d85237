"""Identities of TrustGraph: its API keys and tokens at our listener, and its gateway with verified users."""
