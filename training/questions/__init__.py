"""What is learnt from questions that people asked."""
