"""Graph, rules, solver, explanation and generated artefacts. Knows no prose of a chat."""
