"""`make demo`: the main job on the sample video, in a workspace that is thrown away."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def main(sample: str) -> int:
    """Show each command before running it, as a person would type it."""
    program = str(Path(sys.executable).with_name("vidence"))
    commands = [
        ["add", sample],
        ["report", sample],
    ]
    with tempfile.TemporaryDirectory(prefix="vidence-demo-") as home:
        for command in commands:
            print(f"\n$ vidence {' '.join(command)}", flush=True)
            code = subprocess.run([program, "--home", home, *command], check=False).returncode
            if code:
                return code
    print("\nTry it on your own video: .venv/bin/vidence report my.mp4")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
