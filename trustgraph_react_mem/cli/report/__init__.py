"""`react-mem report`: what is remembered of a scope, on one page that needs nothing else."""
