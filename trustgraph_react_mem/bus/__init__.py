"""Access to the message broker: the Pulsar driver, request and response, jobs, change notifications and the embedded broker."""
