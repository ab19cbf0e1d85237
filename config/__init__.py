"""Configuration that ships with the package: defaults, prompts, blueprint overlay, processor groups."""
