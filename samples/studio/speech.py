"""The narrator: espeak-ng, with the voices that Whisper base understands best."""

from __future__ import annotations

import io
import shutil
import subprocess
import wave

import numpy as np

from samples.studio.film import RATE, Line
from samples.studio.sounds import Track

__all__ = ["speak"]

# The Mandarin voice is fed pinyin: given Chinese characters, espeak-ng 1.51 spells the pinyin out in English.
_VOICES = {
    "en": ("-v", "en-us+m3", "-s", "140", "-p", "45", "-g", "3"),
    "zh": ("-v", "cmn-latn-pinyin+f3", "-s", "130", "-p", "50"),
}
_PEAK = 0.6
_HUSH = 0.01  # below this share of full scale the voice has not begun or is over


def speak(line: Line) -> Track:
    """Return the spoken line, trimmed to the voice itself."""
    program = shutil.which("espeak-ng")
    if program is None:
        raise SystemExit("espeak-ng is not installed. Install the package espeak-ng and try again.")
    command = [program, *_VOICES[line.language], "--stdout", line.spoken or line.text]
    samples, rate = _read(subprocess.run(command, check=True, capture_output=True).stdout)
    voiced = np.flatnonzero(np.abs(samples) > _HUSH)
    samples = samples[voiced[0] : voiced[-1] + 1]
    samples = _resample(samples, rate)
    return np.asarray(samples * (_PEAK / np.abs(samples).max()), np.float32)


def _read(data: bytes) -> tuple[Track, int]:
    with wave.open(io.BytesIO(data)) as file:
        # espeak-ng cannot know the length when it writes to a pipe, so ask for more than there is.
        raw = file.readframes(len(data) // 2)
        samples = np.frombuffer(raw, np.dtype("<i2")) / np.float32(32768)
        return samples.astype(np.float32), file.getframerate()


def _resample(samples: Track, rate: int) -> Track:
    """Return the samples at RATE, band-limited: the spectrum is padded with zeros."""
    count = round(samples.size * RATE / rate)
    spectrum = np.fft.rfft(samples)
    wider = np.zeros(count // 2 + 1, complex)
    wider[: spectrum.size] = spectrum
    return np.asarray(np.fft.irfft(wider, count) * (count / samples.size), np.float32)
