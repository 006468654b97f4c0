"""`make demo`: the main job on the sample video, in a workspace that is thrown away."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def main(sample: str) -> int:
    """Show each command before running it, as a person would type it."""
    program = str(Path(sys.executable).with_name("vidence"))
    commands = [
        ["index", sample],
        ["report", sample],
        ["search", "a cup of coffee"],
        ["search", "猫"],
        ["op", "describe_visual", sample, "--start-time", "37", "--end-time", "42", "--language", "zh"],
        ["ask", sample, "What is said about the rocket?"],
        ["ask", sample, "When does the cat first appear?"],
        ["ask", sample, "马出现在什么时候？"],
    ]
    with tempfile.TemporaryDirectory(prefix="vidence-demo-") as home:
        for command in commands:
            print(f"\n$ vidence {shlex.join(command)}", flush=True)
            code = subprocess.run([program, "--home", home, *command], check=False).returncode
            if code:
                return code
    print('\nNow your own video: .venv/bin/vidence ask my.mp4 "What happens in it?"')
    print("Or in the browser:   .venv/bin/vidence serve")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
