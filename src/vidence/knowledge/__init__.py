"""What is known of a story: who is in it, how they are related, what happens, and where it says so."""
