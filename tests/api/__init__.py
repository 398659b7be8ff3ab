"""The HTTP API: the real application, its answers held against the document that it publishes."""
