"""Finding moments by words and by example."""
