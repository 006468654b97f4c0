"""The shipped examples do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.slow
def test_the_five_tasks_are_done_truly(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "five_tasks.py"), "--home", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, second, third, fourth, _ = re.split(r"^\d\. ", done.stdout, flags=re.MULTILINE)[1:]
    assert re.search(r"detect_objects\(timestamp=4\.\d+, query='cat'.*\n\s+seen", first)
    assert "memory_type='answer', content='First cat at 4." in first
    assert second.count("spatial_relation(") > 5
    assert "number of times: 1" in second, "one long contact is one event, however often it is looked at"
    assert "Cannot tell" in third
    assert "write_memory" not in third
    assert "register_entity" in fourth
    assert "related_entities=['ent_" in fourth
