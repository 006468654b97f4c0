"""The loops that answer: solvers, judges, planners, and the verifier of what they claim."""
