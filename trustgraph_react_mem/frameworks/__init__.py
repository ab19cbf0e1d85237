"""Memory behind the interfaces of agent frameworks.  Each module is one framework and needs the extra of its name."""
