"""Subtitle files: finding them beside a video, and reading .srt and .vtt in any common encoding."""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vidence.errors import FileProblem, UserError
from vidence.index.subtitles.identify import decode_text, guess_language, language_code
from vidence.schema.speech import Utterance

__all__ = ["Sidecar", "SubtitleFile", "find_sidecars", "read_subtitle_file"]

_log = logging.getLogger(__name__)

_SUFFIXES = (".srt", ".vtt")
_VIDEOS = frozenset(
    {".3gp", ".asf", ".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts"}
    | {".mxf", ".ogv", ".ts", ".vob", ".webm", ".wmv"}
)
_MAX_BYTES = 50 << 20
_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[,.](\d+))?"
_TIMING = re.compile(rf"^[ \t]*(?:\d+[ \t]+)?{_TIME}[ \t]*-+>[ \t]*{_TIME}", re.MULTILINE)
# Only what players treat as markup: "x < y and y > z" may be spoken text.
_TAG = re.compile(
    r"</?(?:i|b|u|s|c|v|em|font|lang|p|rb|rt|ruby|span|strong)(?:[.\s][^<>\n]*)?/?>"
    r"|<\d[\d:.]*>|\{\\[^}\n]*\}|\{[a-zA-Z]:[^}\n]*\}",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<[bB][rR]\s*/?>|\\N")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_ASIDE = ("WEBVTT", "NOTE", "STYLE", "REGION", "X-TIMESTAMP-MAP")
_FORCED = frozenset({"forced", "foreign"})


@dataclass(frozen=True)
class Sidecar:
    """A subtitle file that belongs to a video."""

    path: Path
    language: str | None


@dataclass(frozen=True)
class SubtitleFile:
    """The utterances of a subtitle file, and warnings about malformed parts."""

    utterances: tuple[Utterance, ...]
    warnings: tuple[str, ...]


def find_sidecars(video: Path, *, language: str | None = None) -> list[Sidecar]:
    """Return the subtitle files beside `video`, the best first: movie.srt, movie.zh.srt, …

    The file named just like the video comes first, then the one in `language`, then English, then Chinese,
    then the others by name. Forced subtitles, which hold only foreign lines, are left out.
    """
    try:
        beside = [path for path in video.parent.iterdir() if path.is_file()]
    except OSError as exc:
        _log.warning("cannot look for subtitles beside %s: %s", video.name, exc.strerror or exc)
        return []
    others = {path.stem for path in beside if path.suffix.lower() in _VIDEOS} - {video.stem}
    found = []
    for path in sorted(path for path in beside if path.suffix.lower() in _SUFFIXES):
        if path.stem != video.stem and (
            not path.stem.startswith(video.stem + ".") or _is_of_another(path.stem, video.stem, others)
        ):
            continue
        tag = path.stem[len(video.stem) + 1 :]
        if not _FORCED & set(tag.lower().split(".")):
            found.append(Sidecar(path, language_code(tag)))
    return sorted(found, key=lambda one: _rank(one, video, language))


def read_subtitle_file(path: Path, *, language: str | None = None) -> SubtitleFile:
    """Read one file; malformed blocks are left out and counted in a warning."""
    text = decode_text(_read(path))
    if text is None:
        raise UserError(f"{path.name} is not text in an encoding vidence knows. Save it as UTF-8.")
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


def _is_of_another(stem: str, video_stem: str, others: Iterable[str]) -> bool:
    """Tell whether another video's name fits a subtitle file better: movie.part2.srt is not of movie.mp4."""
    return any(
        len(other) > len(video_stem) and (stem == other or stem.startswith(other + ".")) for other in others
    )


def _rank(one: Sidecar, video: Path, language: str | None) -> tuple[bool, bool, bool, bool, int, str]:
    tags = one.path.stem.count(".") - video.stem.count(".")
    named = one.language
    return one.path.stem != video.stem, named != language, named != "en", named != "zh", tags, one.path.name


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise FileProblem(f"{path.name} is larger than {_MAX_BYTES >> 20} MiB, too large for subtitles.")
        return path.read_bytes()
    except OSError as exc:
        raise FileProblem(f"Subtitle file {path} cannot be read: {exc.strerror or exc}.") from exc


def _parse(text: str) -> tuple[list[Utterance], int]:
    cues: list[Utterance] = []
    skipped = 0
    is_srt = not text.lstrip("\ufeff \n").startswith("WEBVTT")
    for block in re.split(r"\n[ \t]*\n+", text.replace("\r\n", "\n").replace("\r", "\n").strip("\ufeff \n")):
        # Only without times: some files lack the empty line after their header.
        if not block.strip() or (block.startswith(_ASIDE) and not _TIMING.search(block)):
            continue
        if is_srt and cues and _is_more_text(block):
            cues[-1] = cues[-1].model_copy(update={"text": f"{cues[-1].text}\n{_plain(block)}".strip()})
            continue
        found = list(_cues(block))
        cues += [cue for cue in found if cue is not None]
        skipped += sum(cue is None for cue in found)
    return cues, skipped


def _is_more_text(block: str) -> bool:
    """Tell whether a block continues the cue before it: SubRip cues may contain empty lines."""
    first = block.strip().partition("\n")[0]
    return "->" not in block and not first.strip().isdigit()


def _cues(block: str) -> Iterator[Utterance | None]:
    """Yield the cues of a block, None for an unusable one; a missing blank line makes several."""
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
        words = _plain(raw)
        if end <= start:
            yield None
        elif words:
            speaker = html.unescape(voice.group(1)).strip() if voice else None
            yield Utterance(start_time=start, end_time=end, text=words, speaker=speaker)


def _plain(raw: str) -> str:
    """Return the words without markup, one line as one line."""
    shown = _TAG.sub("", _BREAK.sub("\n", raw))
    lines = (" ".join(html.unescape(line).split()) for line in shown.split("\n"))
    return "\n".join(line for line in lines if line)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + float(f"0.{fraction or 0}")
