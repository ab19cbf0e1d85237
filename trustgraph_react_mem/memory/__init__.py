"""The data model of memory and its rules: records, scopes, fencing, data policies, ports.  No engine and no bus."""
