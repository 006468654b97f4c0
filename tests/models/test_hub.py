"""Models named on the hub come once, whole, and only the files that are needed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models import tiny
from tests.models.hub_server import HubServer, serving
from tests.processes import PATIENCE_S
from vidence.errors import BackendError, SettingsError
from vidence.models.hub import fetch_from_hub, fetched_files, is_hub_address
from vidence.models.vision.clip_onnx import ClipOnnx

PAIR = (("vision_model.onnx", "text_model.onnx"), ("model.onnx",))


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    folder = tmp_path / "published"
    tiny.clip(folder)
    (folder / "onnx").mkdir()
    for name in ("vision_model.onnx", "text_model.onnx"):
        (folder / name).rename(folder / "onnx" / name)
    (folder / "onnx" / "vision_model_fp16.onnx").write_bytes(b"another size")
    (folder / "onnx" / "text_model.onnx_data").write_bytes(b"large weights")
    (folder / "pytorch_model.bin").write_bytes(b"a pickle")
    (folder / "modeling.py").write_text("raise SystemExit")
    with serving(folder) as server:
        yield server


def _names(folder: Path) -> set[str]:
    here = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return {p.as_posix() for p in here if p.parts[0] != ".cache"}


def test_the_networks_and_what_tells_of_them_come_and_nothing_else(hub: HubServer, tmp_path: Path) -> None:
    folder = fetch_from_hub("hub:maker/tiny", tmp_path / "home", sets=PAIR, endpoint=hub.url)
    assert _names(folder) == {
        "onnx/vision_model.onnx",
        "onnx/text_model.onnx",
        "onnx/text_model.onnx_data",
        "tokenizer.json",
        "preprocessor_config.json",
        "fetched.json",
    }
    assert ClipOnnx(folder).encode_texts(["red"]).shape == (1, 3)


def test_what_is_here_is_used_without_asking_the_hub(hub: HubServer, tmp_path: Path) -> None:
    first = fetch_from_hub("hub:maker/tiny@v1", tmp_path, sets=PAIR, endpoint=hub.url)
    hub.asked.clear()
    hub.commit = "d" * 40
    assert fetch_from_hub("hub:maker/tiny@v1", tmp_path, sets=PAIR, endpoint=hub.url) == first
    assert hub.asked == []
    assert fetched_files("hub:maker/tiny@v1", tmp_path) == 5


def test_one_file_may_be_named(hub: HubServer, tmp_path: Path) -> None:
    address = "hub:maker/tiny@v1:onnx/vision_model_fp16.onnx"
    file = fetch_from_hub(address, tmp_path, endpoint=hub.url)
    assert file.read_bytes() == b"another size"
    assert fetched_files("hub:maker/tiny@v1:onnx/vision_model.onnx", tmp_path) == 0


def test_half_a_download_is_completed(hub: HubServer, tmp_path: Path) -> None:
    hub.broken = {"tokenizer.json"}
    with pytest.raises(BackendError, match="cannot be fetched"):
        fetch_from_hub("hub:maker/tiny", tmp_path, sets=PAIR, endpoint=hub.url)
    assert fetched_files("hub:maker/tiny", tmp_path) == 0
    hub.broken = set()
    folder = fetch_from_hub("hub:maker/tiny", tmp_path, sets=PAIR, endpoint=hub.url)
    assert (folder / "tokenizer.json").is_file()


def test_a_file_that_was_lost_is_fetched_again(hub: HubServer, tmp_path: Path) -> None:
    folder = fetch_from_hub("hub:maker/tiny", tmp_path, sets=PAIR, endpoint=hub.url)
    (folder / "tokenizer.json").unlink()
    assert fetched_files("hub:maker/tiny", tmp_path) == 0
    fetch_from_hub("hub:maker/tiny", tmp_path, sets=PAIR, endpoint=hub.url)
    assert (folder / "tokenizer.json").is_file()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("hub:maker/none", "shows no hub:maker/none"),
        ("hub:maker/tiny@gone", "revision"),
        ("hub:maker/tiny:yolo.onnx", r"lacks yolo\.onnx.*vision_model"),
        ("hub:tiny", "no address"),
        ("hub:maker/tiny:../../etc/passwd", "no address"),
        ("hub:maker/tiny:/etc/passwd", "no address"),
        ("hub:../tiny@..:x", "no address"),
        ("hub:maker/tiny@..", "no address"),
        ("hub:maker/tiny@.", "no address"),
        ("hub:maker/..", "no address"),
    ],
)
def test_a_wrong_address_is_told(hub: HubServer, tmp_path: Path, address: str, message: str) -> None:
    assert is_hub_address(address)
    with pytest.raises(SettingsError, match=message):
        fetch_from_hub(address, tmp_path / "home", sets=PAIR, endpoint=hub.url)


def test_no_network_is_told_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="name the folder as the path"):
        fetch_from_hub("hub:maker/tiny", tmp_path, sets=PAIR, endpoint="http://127.0.0.1:9")


def test_the_settings_may_name_the_hub(hub: HubServer, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "vidence.toml").write_text(
        '[models]\nimage_text = "clip-onnx"\n[model_options.image_text]\npath = "hub:maker/tiny"\n'
    )
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "VIDENCE_HOME": str(home)}
    environment["VIDENCE_MODEL_HOME"] = str(tmp_path / "models")

    def vidence(*arguments: str) -> str:
        command = [sys.executable, "-c", "from vidence.cli import main; main()", *arguments]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE_S,
        )
        return done.stdout

    assert _status(vidence("models")) == "missing"
    assert "5 files fetched" in vidence("models", "fetch", "clip-onnx")
    assert "already here" in vidence("models", "fetch", "clip-onnx")
    assert _status(vidence("models")) == "configured"


def _status(table: str) -> str:
    (row,) = (line for line in table.splitlines() if "clip-onnx" in line)
    return next(word for word in ("missing", "misconfigured", "configured") if word in row)
