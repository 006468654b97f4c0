"""Importing vidence does nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from vidence.cli.main import cli


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = "{'av', 'cv2', 'numpy', 'pydantic', 'rich'}"
    code = f"import sys, vidence; print(sorted({heavy} & set(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_the_help_page_opens_no_media_library() -> None:
    code = (
        "import sys; sys.argv=['vidence','--help']\n"
        "from vidence.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as e: print('exit', e.code, 'cv2' in sys.modules)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip().endswith("exit 0 False")


def test_listing_videos_opens_no_media_library_and_no_model(tmp_path: Path) -> None:
    heavy = "{'av', 'cv2', 'onnxruntime', 'ctranslate2', 'faster_whisper', 'ai_edge_litert', 'tokenizers'}"
    code = (
        f"import sys; sys.argv=['vidence','--home',{str(tmp_path)!r},'list','--json']\n"
        "from vidence.cli.main import main\n"
        f"try: main()\nexcept SystemExit as e: print('exit', e.code, sorted({heavy} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip().endswith("exit 0 []")


def test_every_command_of_the_table_exists() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        assert cli.get_command(context, name) is not None
