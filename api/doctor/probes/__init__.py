"""The probes: each looks at one thing of a machine."""
