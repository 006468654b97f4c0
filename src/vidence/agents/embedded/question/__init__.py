"""Taking questions apart, in English and Chinese."""
