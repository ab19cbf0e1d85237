"""The bus of one machine: in process, with its jobs on the disk, and reached from other processes by a socket."""
