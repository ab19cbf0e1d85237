"""The runtime of background jobs: worker, executor, retries, delays, barriers.  Imports no handler."""
