"""A test bed for the reader of text: synthetic writing over real pictures, measured by condition."""
