"""Stacks as text files: what the resolver found, written down for the tools that build and run it."""
