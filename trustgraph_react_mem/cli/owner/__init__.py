"""What only the owner of the data directory can do: vouch for names, release records, import rules."""
