"""Keys of scopes: where they are kept, and how single ones are destroyed."""

SCOPE_KEY = "scope"  # name of the secret that every scope has
