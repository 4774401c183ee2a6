"""The answers described: OpenAPI is made from these models, and the tests hold real answers against them.

Answers are not validated on their way out; the resolver makes them as plain data.
"""
