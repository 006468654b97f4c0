"""Subtitle files: find them beside a video, read .srt and .vtt in whatever encoding, write them again."""

from __future__ import annotations

import codecs
import html
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vidence.errors import FileProblem, UserError
from vidence.schema.language import count_han
from vidence.schema.speech import Utterance

__all__ = [
    "Sidecar",
    "SubtitleFile",
    "find_sidecars",
    "guess_language",
    "language_code",
    "read_subtitle_file",
    "to_srt",
    "to_vtt",
]

_log = logging.getLogger(__name__)

_SUFFIXES = (".srt", ".vtt")
_MAX_BYTES = 50 << 20
_LANGUAGES = {
    "chs": "zh", "cht": "zh", "chi": "zh", "zho": "zh", "cn": "zh", "sc": "zh", "tc": "zh", "chinese": "zh",
    "eng": "en", "english": "en", "jpn": "ja", "jp": "ja", "kor": "ko", "fre": "fr", "fra": "fr", "ger": "de",
    "deu": "de", "spa": "es", "ita": "it", "por": "pt", "rus": "ru",
}  # fmt: skip
_TIMING = re.compile(
    r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})\s*-+>\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
)
_TAG = re.compile(r"<[^>\n]{0,200}>|\{\\[^}\n]{0,200}\}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")


@dataclass(frozen=True)
class Sidecar:
    """A subtitle file that belongs to a video."""

    path: Path
    language: str | None


@dataclass(frozen=True)
class SubtitleFile:
    """What a subtitle file says, and what was odd about it."""

    utterances: tuple[Utterance, ...]
    warnings: tuple[str, ...]


def find_sidecars(video: Path) -> list[Sidecar]:
    """Return the subtitle files beside `video`: movie.srt, movie.zh.srt, movie.en-US.vtt, …"""
    try:
        beside = sorted(p for p in video.parent.iterdir() if p.suffix.lower() in _SUFFIXES and p.is_file())
    except OSError as exc:
        _log.warning("cannot look for subtitles beside %s: %s", video.name, exc.strerror or exc)
        return []
    found = []
    for path in beside:
        if path.stem == video.stem:
            found.append(Sidecar(path, None))
        elif path.stem.startswith(video.stem + "."):
            found.append(Sidecar(path, language_code(path.stem[len(video.stem) + 1 :])))
    return found


def read_subtitle_file(path: Path, *, language: str | None = None) -> SubtitleFile:
    """Read one file; blocks that make no sense are left out and counted in a warning."""
    text = _decode(path, _read(path))
    cues, skipped = _parse(text)
    if not cues:
        raise UserError(
            f"{path.name} holds no subtitles that can be read. Check that it is a .srt or .vtt file."
        )
    language = language or guess_language(" ".join(cue.text for cue in cues))
    cues = sorted((cue.model_copy(update={"language": language}) for cue in cues), key=lambda c: c.start_time)
    warnings: tuple[str, ...] = ()
    if skipped:
        warnings = (f"{path.name}: {skipped} malformed block{'s' if skipped > 1 else ''} left out",)
    return SubtitleFile(tuple(cues), warnings)


def guess_language(text: str) -> str | None:
    """Tell Chinese, Japanese, Korean and Russian by their script; otherwise None."""
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return None
    total = len(letters)
    if sum("\u3040" <= c <= "\u30ff" for c in letters) > total * 0.1:
        return "ja"
    if sum("\uac00" <= c <= "\ud7a3" for c in letters) > total * 0.3:
        return "ko"
    if count_han(text) > total * 0.3:
        return "zh"
    if sum("\u0400" <= c <= "\u04ff" for c in letters) > total * 0.5:
        return "ru"
    words = set(re.findall(r"[a-z]+", text.lower()))
    return (
        "en" if len(words & {"the", "and", "is", "to", "you", "of", "a", "in", "it", "that"}) >= 2 else None
    )


def to_srt(utterances: Iterable[Utterance]) -> str:
    """Write SubRip text."""
    blocks = [
        f"{i}\n{_stamp(u.start_time, ',')} --> {_stamp(u.end_time, ',')}\n{_lines(u.text)}\n"
        for i, u in enumerate(utterances, start=1)
    ]
    return "\n".join(blocks)


def to_vtt(utterances: Iterable[Utterance]) -> str:
    """Write WebVTT text, with a voice tag where the speaker is known."""
    blocks = ["WEBVTT\n"]
    for one in utterances:
        text = html.escape(_lines(one.text), quote=False)
        voice = f"<v {html.escape(one.speaker)}>" if one.speaker else ""
        blocks.append(f"{_stamp(one.start_time, '.')} --> {_stamp(one.end_time, '.')}\n{voice}{text}\n")
    return "\n".join(blocks)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise FileProblem(f"{path.name} is larger than {_MAX_BYTES >> 20} MiB, too large for subtitles.")
        return path.read_bytes()
    except OSError as exc:
        raise FileProblem(f"Subtitle file {path} cannot be read: {exc.strerror or exc}.") from exc


def _decode(path: Path, data: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    encodings = ["utf-8", "gb18030", "cp1252"]
    if b"\0" in data[:4000]:
        # Text has no zero bytes except in UTF-16, where they sit on one side of every ASCII character.
        encodings = ["utf-16-le" if data[1:4000:2].count(0) > data[0:4000:2].count(0) else "utf-16-be"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise UserError(f"{path.name} is not text in an encoding vidence knows. Save it as UTF-8.")


def _parse(text: str) -> tuple[list[Utterance], int]:
    cues: list[Utterance] = []
    skipped = 0
    for block in re.split(r"\n[ \t]*\n+", text.replace("\r\n", "\n").replace("\r", "\n").strip("\ufeff \n")):
        if not block.strip() or block.startswith(("WEBVTT", "NOTE", "STYLE", "REGION")):
            continue
        found = list(_cues(block))
        cues += [cue for cue in found if cue is not None]
        skipped += sum(cue is None for cue in found)
    return cues, skipped


def _cues(block: str) -> Iterator[Utterance | None]:
    """Yield the cues of a block; None for one that cannot be used. Several mean a blank line was missing."""
    timings = list(_TIMING.finditer(block))
    if not timings:
        yield None
        return
    for match, following in zip(timings, [*timings[1:], None], strict=True):
        raw = block[match.end() : following.start() if following else None]
        # The rest of the timing line is WebVTT cue settings; a last line of digits numbers the next cue.
        raw = raw.partition("\n")[2]
        if following:
            raw = re.sub(r"\n?\d+\s*$", "", raw)
        start, end = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
        voice = _VOICE.search(raw)
        lines = [" ".join(html.unescape(_TAG.sub("", line)).split()) for line in raw.split("\n")]
        words = "\n".join(line for line in lines if line)
        if end <= start:
            yield None
        elif words:
            speaker = voice.group(1).strip() if voice else None
            yield Utterance(start_time=start, end_time=end, text=words, speaker=speaker)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction}")


def _stamp(seconds: float, mark: str) -> str:
    millis = round(max(0.0, seconds) * 1000)
    hours, rest = divmod(millis, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}{mark}{rest % 1000:03d}"


def _lines(text: str) -> str:
    """Return text that cannot end a cue early: no blank lines, no arrow."""
    return "\n".join(line for line in text.replace("-->", "→").splitlines() if line.strip())


def language_code(tag: str) -> str | None:
    """Return the ISO 639-1 code a file name names: `zh`, `zh-CN`, `en.forced`, `chs`, …"""
    first = re.split(r"[.\-_]", tag.lower())[0]
    if first in _LANGUAGES:
        return _LANGUAGES[first]
    return first if re.fullmatch(r"[a-z]{2}", first) else None
