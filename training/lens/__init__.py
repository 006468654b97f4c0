"""Training of lens, the small multilingual image–text model (see docs/model-cards/lens.md)."""
