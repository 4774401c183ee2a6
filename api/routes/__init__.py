"""The addresses of the service, one module a subject; each gives a router over the engine."""
