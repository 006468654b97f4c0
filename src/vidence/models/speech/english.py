"""Lets a small English model write down English and calls a larger one for every other language.

The small model writes English nonsense over any other language, but not without doubts: over foreign speech
it is either unsure of its words or goes round in circles. Only where it does, the larger model is opened and
asked which language it hears.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from vidence.models.speech.transcriber import Heard, WhisperRecognizer, follow, is_another
from vidence.models.speech.whisper import HeardSegment
from vidence.models.speech.windows import SoundChunk, Window
from vidence.schema.speech import SpeechMemo, SpeechProgress

__all__ = ["EnglishFirst", "reads_as_english"]

# Of 870 windows in 28 languages other than English (people and synthesisers; clean, over the telephone, in
# noise, over music) the surest that was no loop reached 0.63; of 103 long English ones 86 reached 0.8, the
# others were lists of single words and speech in noise of a third of its strength.
_SURE, _DOUBTFUL = 0.8, 0.65
"""Mean word probability that is English at the start of a recording, and within an English one."""
_MIN_WORDS = 8
"""Fewer words prove nothing at the start of a recording."""
_MAX_COMPRESSION, _MIN_DIFFERENT = 2.0, 0.5


class EnglishFirst:
    """Two recognisers as one: the small one as long as English is spoken."""

    def __init__(self, small: WhisperRecognizer, large: Callable[[], WhisperRecognizer]) -> None:
        """Keep both; `large` is only called when there is doubt."""
        self._small = small
        self._large = large

    def stream(
        self, chunks: Iterable[SoundChunk], *, language: str | None = None, memo: SpeechMemo | None = None
    ) -> Iterator[SpeechProgress]:
        """Yield what each window gave; resumes like `WhisperRecognizer.stream`."""
        memo = memo or SpeechMemo(windows=0, lot=0, language=language)
        return follow(self._small.lots(chunks, skip=memo.lot), self._hear, memo)

    def _hear(self, lot: Sequence[Window], known: str | None) -> Iterator[Heard]:
        if known not in (None, "en"):
            yield from self._large().hear(lot, known)
            return
        for at, heard in enumerate(self._small.hear(lot, "en")):
            if heard.written and self._is_foreign(heard, known):
                yield from self._large().hear(lot[at:], known)
                return
            known = "en" if heard.written else known
            yield heard

    def _is_foreign(self, heard: Heard, known: str | None) -> bool:
        if reads_as_english(heard.written, is_known=known == "en"):
            return False
        languages = self._large().languages(heard.window)
        if known is None:
            return max(languages, key=lambda name: languages[name]) != "en"
        return is_another(languages, "en")


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
