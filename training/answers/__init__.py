"""The scorer of proposal answers: collected evidence, and weights fitted to it."""
