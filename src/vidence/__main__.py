"""`python -m vidence` is the same as `vidence`."""

from vidence.cli import main

if __name__ == "__main__":
    main()
