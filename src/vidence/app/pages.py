"""Pages to keep: a report or an answer with its evidence as one HTML file that needs nothing else."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path

from vidence.app.answer import draw_record
from vidence.app.html import escape
from vidence.app.moments import ClaimProof, ProofMoment, proofs_of
from vidence.app.pictures import thumbnail
from vidence.app.report import ShotReport, VideoReport
from vidence.app.workspace import Workspace
from vidence.errors import FileProblem, VidenceError
from vidence.schema.agent import AgentAnswer
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.time import format_timecode

__all__ = ["answer_page", "report_page", "save_page", "style_policy"]

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif;max-width:880px;
margin:32px auto;padding:0 18px;color:#1d2129;background:#fffdf9}
h1{font-size:1.5rem;line-height:1.3;margin:.2em 0}
h2{font-size:1.1rem;margin:2em 0 .6em;border-bottom:1px solid #ddd6c8}
small,.quiet{color:#5c6472;font-size:.88rem}ol,ul{padding-left:1.2em}
.claim{margin:1.2em 0;list-style:none}.mark{font-weight:700}
.verified .mark{color:#0f7a45}.partly .mark{color:#8a5a00}.failed .mark{color:#b3261e}
figure{margin:.6em 0}img{max-width:100%;border-radius:8px;display:block}
figcaption{font-size:.9rem;color:#5c6472}
.shot{display:grid;grid-template-columns:200px 1fr;gap:16px;margin:14px 0}
@media(max-width:560px){.shot{grid-template-columns:1fr}}
@media(prefers-color-scheme:dark){body{background:#0f1115;color:#eceef2}small,.quiet,figcaption{color:#a3abb9}
h2{border-color:#2c313c}.verified .mark{color:#62d394}
.partly .mark{color:#ffc861}.failed .mark{color:#ff8f87}}
@media print{figure,.shot{break-inside:avoid}}
"""
_STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_SIDE = 720
_MARKS = {"verified": "✓", "partly": "≈", "failed": "✗"}
_WORDS = {
    "en": {
        "confidence": "confidence {}/5, {:.0%} sure", "why": "Why: ", "claims": "Claims and evidence",
        "notes": "Notes", "made": "Made by vidence; engine {}, trace {}", "scene": "Scene {}", "seen": "seen",
        "said": "said", "heard": "heard", "screen": "on screen",
        "missing": "(the picture cannot be read now)",
    },
    "zh": {
        "confidence": "置信度 {}/5，{:.0%} 把握", "why": "原因：", "claims": "论断与证据", "notes": "说明",
        "made": "由 vidence 生成；引擎 {}，记录 {}", "scene": "场景 {}", "seen": "看到", "said": "说的话",
        "heard": "听到", "screen": "屏幕文字", "missing": "（现在读不到画面）",
    },
}  # fmt: skip


def answer_page(workspace: Workspace, answer: AgentAnswer) -> str:
    """Return an answer with every claim, its verdict and the frames that prove it, boxes drawn in."""
    words = _WORDS[answer.language]
    records = {record.record_id: record for record in answer.evidence}
    claims = "".join(_claim(workspace, claim, records, words) for claim in proofs_of(answer))
    names = ", ".join(video.name for video in answer.videos)
    body = [
        f"<p class=quiet>{escape(names)}</p><p>{escape(answer.question)}</p>",
        f"<h1>{escape(answer.answer)}</h1>",
        f"<p>{escape(answer.explanation)}</p>" if answer.explanation else "",
        f"<p class=quiet>{words['confidence'].format(answer.confidence_score, answer.probability)}</p>",
        f"<h2>{words['claims']}</h2><ul>{claims}</ul>" if claims else "",
        f"<h2>{words['notes']}</h2>{_list(answer.gaps)}" if answer.gaps else "",
        f"<p class=quiet>{escape(words['made'].format(answer.engine, answer.trace_id or '–'))}</p>",
    ]
    return _page(answer.question, "".join(body), answer.language)


def report_page(workspace: Workspace, report: VideoReport) -> str:
    """Return a video's report with a picture of every shot."""
    words = _WORDS[report.language]
    facts = report.info
    size = f"{facts.resolution.width}×{facts.resolution.height}"
    parts = [
        f"<h1>{escape(report.name)}</h1>",
        f"<p class=quiet>{format_timecode(facts.duration)} · {size} · {facts.fps:g} fps · "
        f"{report.video_id}</p>",
    ]
    for number, scene in enumerate(report.scenes, 1):
        times = f"{format_timecode(scene.start_time)}–{format_timecode(scene.end_time)}"
        parts.append(f"<h2>{words['scene'].format(number)} <small>{times}</small></h2>")
        parts += [
            _shot(workspace, report, shot, words)
            for shot in report.shots
            if scene.start_time - 0.01 <= shot.start_time < scene.end_time - 0.01
        ]
    parts.append(_list(report.gaps) if report.gaps else "")
    return _page(report.name, "".join(parts), report.language)


def save_page(path: Path, page: str) -> None:
    """Write a page to a file."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as exc:
        raise FileProblem(f"{path} cannot be written: {exc.strerror}.") from exc


def style_policy(page: str) -> str:
    """Return the content security policy of a page of ours: no script, no request, only its own style."""
    hashes = [b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in _STYLES.findall(page)]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        f"style-src {allowed}"
    )


def _claim(
    workspace: Workspace, claim: ClaimProof, records: dict[str, EvidenceRecord], words: dict[str, str]
) -> str:
    shown = "".join(_figure(workspace, one, records[one.record_id], words) for one in claim.moments)
    notes = "".join(f"<p class=quiet>{escape(note)}</p>" for note in claim.notes)
    why = f"<p class=quiet>{words['why']}{escape(' '.join(claim.problems))}</p>" if claim.problems else ""
    mark = f'<span class="mark">{_MARKS[claim.verdict]}</span>'
    return f'<li class="claim {claim.verdict}">{mark} {escape(claim.text)}{why}{shown}{notes}</li>'


def _figure(workspace: Workspace, moment: ProofMoment, record: EvidenceRecord, words: dict[str, str]) -> str:
    try:
        path = workspace.store.catalogue.locate(moment.video_id)
        length = workspace.store.catalogue.get(moment.video_id).info.duration_s
        middle = max(0.0, min((moment.start_time + moment.end_time) / 2, length - 0.001))
        picture = _image(draw_record(path, middle, record, max_side=_SIDE))
    except (VidenceError, OSError, StopIteration):
        picture = f"<p class=quiet>{words['missing']}</p>"
    return f"<figure>{picture}<figcaption>{escape(moment.line)}</figcaption></figure>"


def _shot(workspace: Workspace, report: VideoReport, shot: ShotReport, words: dict[str, str]) -> str:
    try:
        middle = (shot.start_time + shot.end_time) / 2
        picture = _image(thumbnail(workspace, report.video_id, middle))
    except (VidenceError, OSError, StopIteration):
        picture = f"<p class=quiet>{words['missing']}</p>"
    rows = (("seen", shot.objects), ("said", shot.words), ("heard", shot.sounds), ("screen", shot.text))
    comma = ", " if report.language == "en" else "、"
    told = "".join(f"<br>{words[name]}: {escape(comma.join(values))}" for name, values in rows if values)
    times = f"{format_timecode(shot.start_time)}–{format_timecode(shot.end_time)}"
    caption = escape(shot.caption or "–")
    return f'<div class="shot"><div>{picture}</div><div>{caption}<br><small>{times}{told}</small></div></div>'


def _image(jpeg: bytes) -> str:
    return f'<img alt="" src="data:image/jpeg;base64,{b64encode(jpeg).decode()}">'


def _list(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _page(title: str, body: str, language: str) -> str:
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{body}</body></html>\n"
    )
