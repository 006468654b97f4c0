"""`vidence chat`: talk about videos over several turns, with a memory that outlives the session."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime

import click
from rich.text import Text

from vidence.app.answer import confidence_line, evidence_lines
from vidence.app.chat import Chat
from vidence.app.narration import Narrator
from vidence.app.paths import expand
from vidence.cli.ask import engine_option, parse_budget
from vidence.cli.completion import complete_video
from vidence.cli.memory import memory_line
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import cut, visible
from vidence.errors import VidenceError
from vidence.schema.chat import ChatReply
from vidence.schema.planning import RecalledNote

__all__ = ["chat"]

_HELP = """\
Ask about the videos, or tell me something to remember: "my dog is called Rex".
  /videos [FILE]    list the videos of this conversation, or add one
  /memory [QUERY]   show what is remembered, or what fits a query
  /forget ID        erase a memory
  /new              begin a new session; what was said stays remembered
  /help, /quit
中文也可以：直接提问，或说“我的狗叫雷克斯”。"""
_MAX_CHARS = 120
_WORDS = {
    "en": ("recalled", "understood as", "evidence", "not sure about"),
    "zh": ("想起", "理解为", "证据", "不确定"),
}


@click.command()
@click.argument("videos", nargs=-1, shell_complete=complete_video)
@engine_option
@click.option("--budget", metavar="KEY=N,…", help="Hard limits of each answer, as for `vidence ask`.")
@click.option("--words", "by_words", is_flag=True, help="Search memories by words alone; starts faster.")
@click.option("--json", "as_json", is_flag=True, help="Print every reply as one line of JSON.")
@pass_terminal
def chat(
    terminal: Terminal,
    videos: tuple[str, ...],
    engine: str | None,
    budget: str | None,
    by_words: bool,
    as_json: bool,
) -> None:
    """Chat about videos; memories persist across sessions, and answers cite their evidence.

    Follow-ups such as "and after that?" or "它是什么颜色的？" are understood. Lines may be piped in.

    \b
    Examples:
      vidence chat holiday.mp4
      echo "What is my dog called?" | vidence chat
    """
    limits = parse_budget(budget) if budget else None
    narrator = Narrator(terminal.note, terminal.progress)
    with (
        terminal.workspace() as workspace,
        closing(narrator),
        Chat(
            workspace,
            list(expand(videos)),
            engine=engine,
            budget=limits,
            listener=None if as_json else narrator,
            by_meaning=not by_words,
        ) as talk,
    ):
        if talk.note and not by_words:
            terminal.note(talk.note)
        _Session(terminal, talk, narrator, as_json).run()


class _Session:
    """Reads lines until the input ends and answers each."""

    def __init__(self, terminal: Terminal, talk: Chat, narrator: Narrator, as_json: bool) -> None:
        self._terminal, self._talk, self._narrator, self._as_json = terminal, talk, narrator, as_json
        self._commands: dict[str, Callable[[str], None]] = {
            "/help": self._help,
            "/memory": self._memory,
            "/forget": self._forget,
            "/videos": self._videos,
            "/new": self._new,
        }

    def run(self) -> None:
        """Talk until /quit, the end of the input or Ctrl-C at the prompt."""
        if sys.stdin.isatty():
            self._terminal.note("Ask, tell, or /help. Ctrl-D ends the conversation.")
        for line in _lines():
            text = line.strip()
            if not text:
                continue
            if text in ("/quit", "/exit", "/q"):
                return
            try:
                self._turn(text)
            except KeyboardInterrupt:
                self._narrator.close()
                if not sys.stdin.isatty():
                    raise
                self._terminal.note("stopped; ask something else, or Ctrl-D to leave")
            except VidenceError as exc:
                self._narrator.close()
                self._failed(text, str(exc))

    def _turn(self, text: str) -> None:
        if text.startswith("/"):
            name, _, rest = text.partition(" ")
            command = self._commands.get(name)
            if command is None:
                self._failed(text, f"There is no command {name}. Try /help.")
            else:
                command(rest.strip())
            return
        reply = self._talk.say(text)
        self._narrator.close()
        if self._as_json:
            Terminal.event(reply.model_dump(mode="json"))
        else:
            self._show(reply)

    def _show(self, reply: ChatReply) -> None:
        recalled, understood, evidence, gaps = _WORDS[reply.language]
        terminal = self._terminal
        if reply.is_rewritten and reply.question:
            terminal.note(f"({understood}: {reply.question})")
        for note in reply.recalled:
            terminal.out.print(
                Text(visible(f"{recalled}: {_recalled_line(note)}"), style="dim"), soft_wrap=True
            )
        terminal.out.print(Text(visible(reply.text), style="bold"), soft_wrap=True)
        if reply.answer is None:
            return
        terminal.line(confidence_line(reply.answer))
        lines = evidence_lines(reply.answer)
        if lines:
            terminal.line(f"{evidence}:")
        for line in lines:
            terminal.line(f"  {line}")
        for gap in reply.answer.gaps:
            terminal.note(f"{gaps}: {gap}")

    def _help(self, rest: str) -> None:
        if self._as_json:
            Terminal.event({"command": "/help", "text": _HELP})
        else:
            self._terminal.out.print(_HELP, markup=False, highlight=False)

    def _memory(self, rest: str) -> None:
        found = self._talk.recall(rest or None)
        if self._as_json:
            Terminal.event({"command": "/memory", "memories": [one.model_dump(mode="json") for one in found]})
            return
        for memory in found:
            self._terminal.line(memory_line(memory, max_chars=_MAX_CHARS))
        if not found:
            self._terminal.note("Nothing is remembered about this.")

    def _forget(self, rest: str) -> None:
        if not rest:
            self._failed("/forget", "Name the memory: /forget mem_001 (see /memory).")
            return
        gone = self._talk.forget(rest)
        if self._as_json:
            Terminal.event({"command": "/forget", "memory_id": gone.memory_id})
        else:
            self._terminal.line(f"{gone.memory_id}  forgotten")

    def _videos(self, rest: str) -> None:
        for path in expand([rest]) if rest else ():
            self._talk.add_video(path)
        rows = [{"video_id": one.video_id, "name": one.name} for one in self._talk.videos]
        if self._as_json:
            Terminal.event({"command": "/videos", "videos": rows})
            return
        for row in rows:
            self._terminal.line(f"{row['video_id']}  {row['name']}")
        if not rows:
            self._terminal.note("No video yet: /videos FILE adds one.")

    def _new(self, rest: str) -> None:
        session_id = self._talk.new_session()
        if self._as_json:
            Terminal.event({"command": "/new", "session_id": session_id})
        else:
            self._terminal.note(f"a new session: {session_id}")

    def _failed(self, said: str, problem: str) -> None:
        if self._as_json:
            Terminal.event({"said": said, "error": problem})
        else:
            self._terminal.error(problem)


def _lines() -> Iterator[str]:
    """Yield the lines typed or piped in; Ctrl-C at the prompt ends the input."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    while True:
        try:
            yield input("you> ")
        except (EOFError, KeyboardInterrupt):
            sys.stderr.write("\n")
            return


def _recalled_line(note: RecalledNote) -> str:
    when = f"{datetime.fromtimestamp(note.said_at):%Y-%m-%d} " if note.said_at else ""
    return f"{note.memory_id} {when}{cut(note.content, _MAX_CHARS)}"
