"""What a question wants found out, in a few words of its own language."""

from __future__ import annotations

from collections.abc import Mapping

from vidence.language.question.form import Kind, QuestionForm

__all__ = ["purpose_of", "things_of"]

_MOST_THINGS = 3
_PURPOSES: Mapping[Kind, tuple[str, str]] = {
    "count": ("To count", "为了数清楚"),
    "when": ("To find out when", "为了找到时间"),
    "order": ("To tell which comes first", "为了弄清先后"),
    "which": ("To tell which one", "为了弄清是哪一个"),
    "colour": ("To see the colour", "为了看清颜色"),
    "yes_no": ("To see whether it is so", "为了看是否如此"),
    "what": ("To see what it is", "为了看清是什么"),
    "who": ("To find out who", "为了弄清是谁"),
    "where": ("To find out where", "为了弄清地点"),
    "why": ("To find out why", "为了弄清原因"),
    "said": ("To hear what is said", "为了听清说了什么"),
    "heard": ("To hear what sounds there are", "为了听清有什么声音"),
    "read": ("To read what is written", "为了看清写了什么"),
    "doing": ("To see what happens", "为了看清发生了什么"),
    "describe": ("To describe it", "为了描述画面"),
    "camera": ("To see how the camera moves", "为了看镜头怎样运动"),
    "direction": ("To see which way it goes", "为了看清方向"),
    "compare": ("To compare the two moments", "为了比较两个时刻"),
    "cuts": ("To find the cuts", "为了找到镜头切换"),
}


def purpose_of(form: QuestionForm) -> str:
    """Return what the question wants found out and of what: "To count (dogs)", "为了数清楚（狗）"."""
    is_chinese, things = form.language == "zh", things_of(form)
    about = (f"（{things}）" if is_chinese else f" ({things})") if things else ""
    return f"{_PURPOSES[form.kind][is_chinese]}{about}"


def things_of(form: QuestionForm) -> str:
    """Return the first things the question is about, as a list in its language; empty when it names none."""
    comma = "、" if form.language == "zh" else ", "
    return comma.join(target.text for target in form.targets[:_MOST_THINGS])
