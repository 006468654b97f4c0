"""`vidence tools` and `vidence tool run` as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from vidence.cli.main import cli


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--home", str(home), *words], catch_exceptions=True)


def written(folder: Path, **changes: object) -> Path:
    tool = {
        "tool_name": "length",
        "description": "Say how long the video is.",
        "inputs": {},
        "outputs": {"duration": "float"},
        "steps": [{"api": "get_video_info", "save_as": "info"}],
        **changes,
    }
    path = folder / "length.json"
    path.write_text(json.dumps(tool), encoding="utf-8")
    return path


def test_the_built_in_tools_are_listed(tmp_path: Path) -> None:
    names = [row["name"] for row in json.loads(run(tmp_path, "tools", "list", "--json").stdout)]
    assert "locate_first_appearance" in names
    assert "count_occurrences" in names


def test_a_tool_is_checked_imported_run_and_dropped(tmp_path: Path, plain: Path) -> None:
    home = tmp_path / "home"
    file = written(tmp_path)
    assert "length: 1 calls, types hold" in run(home, "tools", "check", str(file)).stdout
    assert run(home, "tools", "import", str(file)).exit_code == 0
    told = json.loads(run(home, "tool", "run", "length", str(plain), "--json").stdout)
    assert told["duration"] > 0.9
    assert len(told["evidence"]) == 1
    why = run(home, "tools", "why", "length").stdout
    assert "written" in why
    assert run(home, "tools", "drop", "length").exit_code == 0
    assert run(home, "tools", "show", "length").exit_code != 0


def test_export_and_import(tmp_path: Path) -> None:
    run(tmp_path / "a", "tools", "import", str(written(tmp_path)))
    bundle = tmp_path / "shared.json"
    assert run(tmp_path / "a", "tools", "export", "--to", str(bundle)).exit_code == 0
    assert run(tmp_path / "b", "tools", "import", str(bundle)).exit_code == 0
    shown = json.loads(run(tmp_path / "b", "tools", "show", "length", "--json").stdout)
    assert shown["origin"] == "imported"


def test_a_dry_run_reads_its_inputs_by_their_types(tmp_path: Path, plain: Path) -> None:
    step = {"api": "get_video_info", "save_as": "info_{{index}}"}
    steps = [{"for_each": "times", "do": step}, {"aggregate": ["count"], "of": "info", "save_as": "number"}]
    file = written(tmp_path, inputs={"times": "list"}, outputs={"number": "int"}, steps=steps)
    run(tmp_path, "op", "get_video_info", str(plain))
    told = run(tmp_path, "tools", "check", str(file), "--video", str(plain), "--param", "times=[1, 2, 3]")
    assert "number 3" in " ".join(told.stdout.split())
    wrong = run(tmp_path, "tools", "check", str(file), "--video", str(plain), "--param", "times=one")
    assert "--param times: 'one' is no JSON of type array" in str(wrong.exception)


def test_a_tool_is_shown_as_its_file_has_it(tmp_path: Path) -> None:
    shown = run(tmp_path, "tools", "show", "count_occurrences").stdout
    assert json.loads(shown)["tool_name"] == "count_occurrences"
    assert len(shown.splitlines()) > 20, "one line for each field"


def test_a_wrong_tool_is_one_clear_line(tmp_path: Path) -> None:
    file = written(tmp_path, steps=[{"api": "get_vide_info"}])
    result = run(tmp_path / "home", "tools", "check", str(file))
    assert result.exit_code != 0
    assert "step 1, api" in str(result.exception)


def test_without_traces_nothing_is_induced(tmp_path: Path) -> None:
    result = run(tmp_path, "tools", "induce", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == []


def test_a_parameter_without_a_sign_is_named(tmp_path: Path, plain: Path) -> None:
    result = run(tmp_path, "tool", "run", "who_said", str(plain), "--param", "words")
    assert "write NAME=VALUE" in str(result.exception)
