"""The weights of the scorer of given options: captions and the reader's view."""
