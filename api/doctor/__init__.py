"""The doctor: what a machine says of itself, read by probes, judged by the resolver and the assistant."""
