"""A test bed for speech over music and noise: mixtures at known loudness, measured by what was said when."""
