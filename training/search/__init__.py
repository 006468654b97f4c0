"""How the search weighs its evidence: fitted, not guessed."""
