"""Everything `samples.make_sample` needs to draw, voice and encode the sample film."""
