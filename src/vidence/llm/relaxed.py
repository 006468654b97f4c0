"""A tolerant JSON reader: rewrites an almost-JSON object as strict JSON in one pass.

Handles comments, trailing commas, single and curly quotes, full-width punctuation, Python's and JavaScript's
words, raw line breaks in strings, and texts that stop in the middle. Every character is read once.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["StrictJson", "scan_object"]

_MAX_DEPTH = 100
"""Deeper nesting is no answer of a model, and parsers recurse."""

_OPEN = {"{": "}", "｛": "}", "[": "]", "［": "]"}
_CLOSE = {"}": "}", "｝": "}", "]": "]", "］": "]"}
_COMMA, _COLON = frozenset(",，、"), frozenset(":：")
_QUOTES = {'"': '"', "“": "”", "”": "”", "＂": "＂", "'": "'", "‘": "’", "’": "’", "`": "`"}
_WORDS = {"true": "true", "false": "false"} | dict.fromkeys(
    ("null", "none", "undefined", "nan", "-nan", "infinity", "-infinity", "+infinity"), "null"
)
_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*", re.DOTALL)
_BARE = re.compile(r"[^\s{}\[\],:，：、｛｝［］\"“”＂'‘’`/#]+|/")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d+)?(?:[eE][+-]?\d{1,4})?\Z")
_CODE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8})")
_FENCE = "```"
_ESCAPES = frozenset('"\\/bfnrt')
_PLAIN = re.compile(r"[^\"\\“”＂'‘’`\n\r\t\x00-\x1f]+")


@dataclass(frozen=True)
class StrictJson:
    """An object rewritten as strict JSON, and where it stood in the text it came from."""

    text: str
    start: int
    end: int
    closed: bool
    """False when the text stopped before the object did."""


def scan_object(text: str, start: int) -> StrictJson | None:
    """Rewrite the object that opens at `start` as strict JSON; None when it is nested too deeply."""
    return _Scanner(text, start).run()


class _Scanner:
    """Reads one object; `out` with the closing brackets of `stack` is strict JSON."""

    def __init__(self, text: str, start: int) -> None:
        self.text, self.start, self.at = text, start, start
        self.out: list[str] = []
        self.stack: list[str] = []
        self.last = ""
        """The last token's kind: one of `{ [ , : v` (a value or a closing bracket)."""

    def run(self) -> StrictJson | None:
        while self.at < len(self.text):
            if self.text.startswith(_FENCE, self.at):
                # The writer forgot a brace: the fence ends the block.
                return self._finish(closed=True)
            if not self._token():
                return None
            if not self.stack:
                return StrictJson("".join(self.out), self.start, self.at, closed=True)
        return self._finish(closed=False)

    def _token(self) -> bool:
        character = self.text[self.at]
        if skipped := _SPACE.match(self.text, self.at) or self._comment():
            self.at = skipped.end()
        elif character in _OPEN:
            return self._open(_OPEN[character])
        elif character in _CLOSE:
            self._close(_CLOSE[character])
        elif character in _COMMA or character in _COLON:
            self._punctuate("," if character in _COMMA else ":")
        elif character in _QUOTES:
            self._value(self._string(_QUOTES[character]))
        else:
            self._value(self._bare())
        return True

    def _comment(self) -> re.Match[str] | None:
        return _COMMENT.match(self.text, self.at) if self.text[self.at] in "/#" else None

    def _open(self, closer: str) -> bool:
        if len(self.stack) >= _MAX_DEPTH:
            return False
        self._value("{" if closer == "}" else "[")
        self.stack.append(closer)
        self.last = self.out[-1]
        self.at += 1
        return True

    def _close(self, closer: str) -> None:
        # A bracket left open inside is closed for the writer; one that was never opened is no bracket.
        while closer in self.stack:
            self._end_item()
            opened = self.stack.pop()
            self.out.append(opened)
            self.last = "v"
            if opened == closer:
                break
        self.at += 1

    def _punctuate(self, mark: str) -> None:
        self.at += 1
        if mark == self.last or (mark == "," and self.last in "{["):
            return
        if mark == ":" and self.last != "v":
            return
        if mark == "," and self.last == ":":
            self.out.append("null")
        self.out.append(mark)
        self.last = mark

    def _value(self, written: str) -> None:
        if self.last == "v":
            self.out.append(",")
        self.out.append(written)
        self.last = "v"

    def _end_item(self) -> None:
        if self.last == "," and self.out[-1] == ",":
            self.out.pop()
        elif self.last == ":":
            self.out.append("null")

    def _bare(self) -> str:
        found = _BARE.match(self.text, self.at)
        word = found.group() if found else self.text[self.at]
        self.at += len(word)
        known = _WORDS.get(word.lower())
        if known is not None:
            return known
        return word if _NUMBER.match(word) else json.dumps(word, ensure_ascii=False)

    def _string(self, closer: str) -> str:
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            if plain := _PLAIN.match(self.text, self.at):
                parts.append(plain.group())
                self.at = plain.end()
                continue
            character = self.text[self.at]
            if character == "\\":
                parts.append(self._escape())
            elif self._closes(character, closer):
                self.at += 1
                break
            else:
                parts.append(json.dumps(character, ensure_ascii=False)[1:-1])
                self.at += 1
        return f'"{"".join(parts)}"'

    def _escape(self) -> str:
        pair = self.text[self.at : self.at + 2]
        if code := _CODE.match(self.text, self.at):
            self.at = code.end()
            number = int(code.group()[2:], 16)
            # Two halves of one character may come as two codes: JSON's own form keeps them apart.
            return f"\\u{number:04x}" if number < 0x10000 else chr(min(number, 0x10FFFF))
        self.at += len(pair)
        if pair[1:] in _ESCAPES:
            return pair
        if pair[1:] in ("'", "`"):
            return pair[1:]
        return "\\\\" + json.dumps(pair[1:], ensure_ascii=False)[1:-1]

    def _closes(self, character: str, closer: str) -> bool:
        """Tell whether a quote ends the string: only where the text after it can follow a string."""
        if character != closer and not (closer == "”" and character == '"'):
            return False
        found = _SPACE.match(self.text, self.at + 1)
        after = found.end() if found else self.at + 1
        if after >= len(self.text) or self.text[after] in "}]｝］:：/#":
            return True
        if self.text[after] in _COMMA:
            return self._item_follows(after + 1)
        # A quote before a line's end, with the next key behind it, ended its string; the comma was forgotten.
        return "\n" in self.text[self.at + 1 : after] and (
            self.text[after] in _QUOTES or self.text[after] in _OPEN
        )

    def _item_follows(self, position: int) -> bool:
        found = _SPACE.match(self.text, position)
        after = found.end() if found else position
        if after >= len(self.text) or self.text[after] in _QUOTES or self.text[after] in "{[｛［}]｝］/#":
            return True
        return re.match(r"[-+.\w]+\s*(?:[,:}\]，：｝］]|\Z)", self.text[after : after + 80]) is not None

    def _finish(self, *, closed: bool) -> StrictJson:
        """Close what is open; a key whose value never came is dropped."""
        is_key = self.last == "v" and self.stack[-1] == "}" and self.out[-2] in ("{", ",")
        if is_key and self.out[-1] not in ("}", "]"):
            self.out.pop()
            self.last = self.out[-1]
        self._end_item()
        self.out += reversed(self.stack)
        return StrictJson("".join(self.out), self.start, self.at, closed)
