"""The sample film of the house and the studio that makes it."""
