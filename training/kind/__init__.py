"""The weights that tell screens and graphics from filmed pictures."""
