"""Transcribe recordings of any length: cut at silences, decode each window, keep what was really said."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from vidence.errors import SettingsError
from vidence.models.context import ModelContext
from vidence.models.speech.segments import KEEP, is_loop, left_out, said_probability, unheard, utterances
from vidence.models.speech.vad import SileroVad, vad_graph
from vidence.models.speech.whisper import Encoded, HeardSegment, Whisper
from vidence.models.speech.windows import SoundChunk, SpeechSpan, SpeechWindow, WholeSound, cut_windows
from vidence.schema.perception import FloatArray
from vidence.schema.speech import SpeechMemo, SpeechProgress, Transcription, Utterance

__all__ = [
    "EnglishFirst",
    "HeardWindow",
    "WhisperRecognizer",
    "build",
    "build_folder",
    "build_tiny_en",
    "reads_as_english",
]

_STICKY = 3.0
"""The language of the recording so far counts this much more than any other."""
_FOREIGN, _CLEAR = 0.15, 0.5
"""A stretch hardly in the window's language and clearly in another is decoded on its own."""
_MIN_FOREIGN_S = 1.2
_SETTLED, _RIVAL = 0.9, 0.1
"""Below the first the language of a stretch is doubtful; from the second on another one may be right."""
_BETTER = 0.15
"""How much surer the words of the other language must be: over noise both are guesses."""
_BATCH = 8
"""Windows of one batch: after a kill about two minutes are decoded again, and memory stays flat."""
_SHAKEN = 0.8
"""The probability that a second answer, forbidden to repeat itself, must have."""
# Of 870 windows in 28 languages other than English (people and synthesisers; clean, over the telephone, in
# noise, over music) the surest that was no loop reached 0.63; of 103 long English ones 86 reached 0.8, the
# others were lists of single words and speech in noise of a third of its strength.
_SURE, _DOUBTFUL = 0.8, 0.65
"""Mean word probability that is English at the start of a recording, and within an English one."""
_MIN_WORDS = 8
"""Fewer words are no proof at the start of a recording."""
_MAX_COMPRESSION, _MIN_DIFFERENT = 2.0, 0.5


@dataclass(frozen=True)
class _Take:
    """Stretches of speech in one language, after the encoder."""

    spans: Sequence[SpeechSpan]
    encoded: Encoded
    language: str
    sure: float
    """How sure the model is of its first choice of a language."""
    rival: str | None = None
    """The language that it may be in instead."""


@dataclass(frozen=True)
class HeardWindow:
    """The result of one window."""

    window: SpeechWindow
    utterances: tuple[Utterance, ...]
    written: tuple[HeardSegment, ...]
    """Everything Whisper wrote at first, also what was dropped."""

    @property
    def language(self) -> str | None:
        """The language most of it is in."""
        seconds: dict[str, float] = {}
        for one in self.utterances:
            if one.language:
                seconds[one.language] = seconds.get(one.language, 0.0) + one.end_time - one.start_time
        return max(seconds, key=lambda name: seconds[name]) if seconds else None

    def progress(self, language: str | None, memo: SpeechMemo) -> SpeechProgress:
        """Return it as a step of a stream that is in `language` now."""
        return SpeechProgress(
            reached_s=self.window.reached_s, utterances=self.utterances, language=language, memo=memo
        )


class WhisperRecognizer:
    """Recognises speech with Silero VAD and Whisper; the same sound always gives the same words."""

    def __init__(
        self, folder: Path, vad: Path, *, model_id: str, threads: int = 2, is_english_only: bool = False
    ) -> None:
        self.model_id = model_id
        self.is_english_only = is_english_only
        self._whisper = Whisper(folder, threads=threads)
        self._vad = SileroVad(vad)

    def transcribe(self, samples: FloatArray, *, language: str | None = None) -> Transcription:
        """Return what is said in 16 kHz mono samples in [-1, 1]; nothing at all for silence."""
        steps = list(self.stream([WholeSound(samples)], language=language))
        found = tuple(SpeechProgress.gather(steps))
        return Transcription(segments=found, language=steps[-1].language if found else None)

    def stream(
        self, chunks: Iterable[SoundChunk], *, language: str | None = None, memo: SpeechMemo | None = None
    ) -> Iterator[SpeechProgress]:
        """Yield the result of each window as soon as it is known, in flat memory.

        Args:
            language: the language to expect; other languages are still recognised where they are clear.
            memo: the last one of a run that was stopped, to go on after it; give the whole sound again.
        """
        memo = memo or SpeechMemo(windows=0, lot=0, language=language)
        return _follow(self.batches(chunks, skip=memo.lot), self.hear, memo)

    def batches(self, chunks: Iterable[SoundChunk], *, skip: int = 0) -> Iterator[list[SpeechWindow]]:
        """Yield the windows of speech in the sound, as many together as `hear` takes best.

        Args:
            skip: windows at the beginning to leave out.
        """
        rest = islice(cut_windows(chunks, self._vad), skip, None)
        while batch := list(islice(rest, _BATCH)):
            yield batch

    def hear(self, batch: Sequence[SpeechWindow], language: str | None) -> Iterator[HeardWindow]:
        """Yield what is said in each window; `language` is that of the recording so far."""
        heard = self._encode(batch, language)
        try:
            for window, takes in zip(batch, heard, strict=True):
                found = [self._decode(take) for take in takes]
                yield HeardWindow(
                    window,
                    tuple(utterance for _, utterances in found for utterance in utterances),
                    tuple(segment for segments, _ in found for segment in segments),
                )
        finally:
            for take in (take for takes in heard for take in takes):
                self._whisper.forget(take.encoded)

    def languages(self, window: SpeechWindow) -> dict[str, float]:
        """Return how probable each language is in a window with speech."""
        return self._whisper.languages(self._whisper.encode(_join(window.spans)))

    def _encode(self, batch: Sequence[SpeechWindow], known: str | None) -> list[list[_Take]]:
        """Encode a few windows, find their languages, and decode those of one language in one batch."""
        heard: list[list[_Take]] = []
        for window in batch:
            takes = self._takes(window, known) if window.spans else []
            heard.append(takes)
            known = takes[-1].language if takes and takes[-1].sure > _CLEAR else known
        takes = [take for takes in heard for take in takes]
        for language in dict.fromkeys(take.language for take in takes):
            self._whisper.write_ahead([one.encoded for one in takes if one.language == language], language)
        return heard

    def _takes(self, window: SpeechWindow, known: str | None) -> list[_Take]:
        """Encode a window, in parts where its language changes."""
        encoded = self._whisper.encode(_join(window.spans))
        whole = self._take(window.spans, encoded, known)
        runs = self._runs(window.spans, encoded, whole.language)
        if len(runs) == 1:
            return [whole]
        return [self._take(run, self._whisper.encode(_join(run)), known) for run in runs]

    def _take(self, spans: Sequence[SpeechSpan], encoded: Encoded, known: str | None) -> _Take:
        languages = self._whisper.languages(encoded)
        language, sure = _pick(languages, known)
        return _Take(spans, encoded, language, sure, _rival(languages, language))

    def _runs(self, spans: Sequence[SpeechSpan], encoded: Encoded, language: str) -> list[list[SpeechSpan]]:
        """Split the spans where the speakers leave the window's language or come back to it."""
        runs: list[list[SpeechSpan]] = []
        before, at = None, 0.0
        for span in spans:
            end = at + span.duration_s
            foreign = span.duration_s >= _MIN_FOREIGN_S and len(spans) > 1
            if foreign:
                # The encoder has run already: asking about a part costs one decoder step.
                there = self._whisper.languages(encoded, start_s=at, end_s=end)
                foreign = _is_another(there, language)
            if foreign == before:
                runs[-1].append(span)
            else:
                runs.append([span])
            before, at = foreign, end
        return runs

    def _decode(self, take: _Take) -> tuple[list[HeardSegment], list[Utterance]]:
        """Return what Whisper wrote at first, and what is kept; what it left out is decoded again."""
        written, kept = self._write(take)
        # Where nothing was kept there is no speech, and more text would be invented too.
        rest = left_out(take.spans, written) if kept else []
        again: list[tuple[list[SpeechSpan], str | None]] = [(rest, take.language)] if rest else []
        if kept:
            # Between other words a stretch may be in another language, or too faint beside them.
            before_s = rest[0].start_s if rest else math.inf
            again += [([one], None) for one in unheard(take.spans, kept) if one.end_s <= before_s]
        for spans, language in again:
            more, also = self._decode(self._take(spans, self._whisper.encode(_join(spans)), language))
            written, kept = written + more, kept + also
        return written, sorted(kept, key=lambda one: one.start_time)

    def _write(self, take: _Take) -> tuple[list[HeardSegment], list[Utterance]]:
        voice = float(np.mean([span.speech for span in take.spans]))
        segments = written = self._whisper.decode(take.encoded, take.language)
        if take.rival:
            # The words settle a doubtful language: in a wrong one the model is unsure of them.
            other = self._whisper.decode(take.encoded, take.rival)
            if _word_probability(other) >= _word_probability(segments) + _BETTER:
                take, segments, written = replace(take, language=take.rival), other, other
        scores = [said_probability(one, language=take.sure, voice=voice) for one in segments]
        if segments and max(scores) == 0.0:
            # Forbidding repeats ends a loop over speech; over noise it only gives other invented text.
            segments = self._whisper.decode(take.encoded, take.language, no_repeats=True)
            scores = [said_probability(one, language=take.sure, voice=voice) for one in segments]
            scores = [score if score >= _SHAKEN else 0.0 for score in scores]
        kept = [(segment, score) for segment, score in zip(segments, scores, strict=True) if score >= KEEP]
        return written, [one for segment, score in kept for one in utterances(segment, score, take.spans)]


def _follow(
    batches: Iterable[Sequence[SpeechWindow]],
    hear: Callable[[Sequence[SpeechWindow], str | None], Iterator[HeardWindow]],
    memo: SpeechMemo,
) -> Iterator[SpeechProgress]:
    """Yield the result of each window after those of `memo`, passing `hear` the language so far.

    Args:
        batches: those from the one on that `memo` was made in.
    """
    before, known = memo.lot, memo.language
    for batch in batches:
        at_first = known
        for done, heard in enumerate(hear(batch, known), before + 1):
            known = heard.language or known
            left = SpeechMemo(windows=done, lot=before, language=at_first)
            if done == before + len(batch):
                left = SpeechMemo(windows=done, lot=done, language=known)
            if done > memo.windows:
                yield heard.progress(known, left)
        before += len(batch)


def _is_another(languages: dict[str, float], language: str) -> bool:
    """Say whether speech is hardly in a language and clearly in another."""
    return languages.get(language, 0.0) < _FOREIGN and max(languages.values()) > _CLEAR


class EnglishFirst:
    """Two recognisers as one: the small one while English is spoken, the large one for other languages.

    Over foreign speech the small model writes English nonsense, but is unsure of its words or repeats itself.
    Only then is the large model opened and asked for the language.
    """

    def __init__(self, small: WhisperRecognizer, large: Callable[[], WhisperRecognizer]) -> None:
        """Keep both; `large` is only called in doubt."""
        self._small = small
        self._large = large

    def stream(
        self, chunks: Iterable[SoundChunk], *, language: str | None = None, memo: SpeechMemo | None = None
    ) -> Iterator[SpeechProgress]:
        """Yield the result of each window; resumes like `WhisperRecognizer.stream`."""
        memo = memo or SpeechMemo(windows=0, lot=0, language=language)
        return _follow(self._small.batches(chunks, skip=memo.lot), self._hear, memo)

    def _hear(self, batch: Sequence[SpeechWindow], known: str | None) -> Iterator[HeardWindow]:
        if known not in (None, "en"):
            yield from self._large().hear(batch, known)
            return
        for at, heard in enumerate(self._small.hear(batch, "en")):
            if heard.written and self._is_foreign(heard, known):
                yield from self._large().hear(batch[at:], known)
                return
            known = "en" if heard.written else known
            yield heard

    def _is_foreign(self, heard: HeardWindow, known: str | None) -> bool:
        if reads_as_english(heard.written, is_known=known == "en"):
            return False
        languages = self._large().languages(heard.window)
        if known is None:
            return max(languages, key=lambda name: languages[name]) != "en"
        return _is_another(languages, "en")


def reads_as_english(written: Sequence[HeardSegment], *, is_known: bool) -> bool:
    """Say whether what an English model wrote can only have been English.

    Args:
        is_known: whether the recording was English before.
    """
    sure = [word.confidence for segment in written for word in segment.words]
    words = re.findall(r"\w+", " ".join(segment.text for segment in written).lower())
    if not sure or (len(words) < _MIN_WORDS and not is_known):
        return False
    is_circling = len(words) >= _MIN_WORDS and len(set(words)) <= _MIN_DIFFERENT * len(words)
    if is_circling or max(segment.compression for segment in written) > _MAX_COMPRESSION:
        return False
    return sum(sure) / len(sure) >= (_DOUBTFUL if is_known else _SURE)


def build(context: ModelContext) -> WhisperRecognizer:
    """Build Whisper base, which knows English, Chinese and many more."""
    return _build(context, "whisper-base")


def build_tiny_en(context: ModelContext) -> WhisperRecognizer:
    """Build Whisper tiny.en: twice as fast, English only."""
    return _build(context, "whisper-tiny-en")


def build_folder(context: ModelContext) -> WhisperRecognizer:
    """Build any faster-whisper model from the folder the option `path` names."""
    folder = context.place("path", sets=(("model.bin",),))
    # Otherwise the loader would fetch missing files from the network.
    for name in ("model.bin", "config.json", "tokenizer.json"):
        if not (folder / name).is_file():
            raise SettingsError(
                f"Option 'path' names {str(folder)!r}, which lacks {name}; it must be a folder with a Whisper"
                " model for CTranslate2 (a faster-whisper-… download, or what ct2-transformers-converter "
                "writes with --copy_files tokenizer.json preprocessor_config.json)."
            )
    vad = vad_graph(context)
    return WhisperRecognizer(folder, vad, model_id=f"whisper:{folder.name}", threads=context.threads)


def _build(context: ModelContext, name: str) -> WhisperRecognizer:
    vad = vad_graph(context)
    folder = context.cache.assemble(name)
    return WhisperRecognizer(
        folder, vad, model_id=name, threads=context.threads, is_english_only=name.endswith("-en")
    )


def _pick(languages: dict[str, float], known: str | None) -> tuple[str, float]:
    """Return the language to write in, and how sure the model is of its first choice."""
    weighted = {name: p * (_STICKY if name == known else 1.0) for name, p in languages.items()}
    return max(weighted, key=lambda name: weighted[name]), max(languages.values())


def _rival(languages: dict[str, float], language: str) -> str | None:
    """Return the likeliest other language, if the choice between the two is doubtful."""
    others = {name: p for name, p in languages.items() if name != language}
    best = max(others, key=lambda name: others[name], default=None)
    if best is None or languages[language] >= _SETTLED or others[best] < _RIVAL:
        return None
    return best


def _word_probability(segments: Sequence[HeardSegment]) -> float:
    """Return the mean probability of the words of several segments; 0 of a repeated phrase or of none."""
    words = [word.confidence for segment in segments if not is_loop(segment) for word in segment.words]
    return sum(words) / len(words) if words else 0.0


def _join(spans: Sequence[SpeechSpan]) -> FloatArray:
    return np.concatenate([span.samples for span in spans])
