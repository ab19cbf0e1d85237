"""The ranking engine of the facts and episodes services: candidates, features, scores."""
