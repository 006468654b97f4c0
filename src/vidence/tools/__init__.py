"""Tools beyond the sixteen operations, in the same shape: one definition each."""
