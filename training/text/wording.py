"""What the test bed writes: sentences, clocks, plates, prices, names, in several languages."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

__all__ = ["FOREIGN", "WORDINGS", "write"]

_TABLE = Path(__file__).parent / "data" / "wording.tsv"
FOREIGN = ("cyrillic", "arabic", "korean", "thai", "hindi", "greek", "japanese", "accents")
_PLATE_ZH = "京沪粤川浙苏鲁鄂湘闽"


def _table() -> dict[str, list[str]]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    kinds = dict.fromkeys(row["kind"] for row in rows)
    return {kind: [row["text"] for row in rows if row["kind"] == kind] for kind in kinds}


_TEXTS = _table()
_EN, _ZH, _TEAMS = _TEXTS["en"], _TEXTS["zh"], _TEXTS["team"]
_NAMES, _ZH_NAMES = _TEXTS["name"], _TEXTS["name_zh"]


def _english(rng: Random, words: tuple[int, int] = (2, 6)) -> str:
    picked = [rng.choice(_EN) for _ in range(rng.randint(*words))]
    if rng.random() < 0.15:
        picked = [*picked, str(rng.randint(1, 2030))]
    text = " ".join(picked)
    return rng.choice((text.capitalize(), text.title(), text.upper(), text.capitalize()))


def _chinese(rng: Random) -> str:
    return rng.choice(_ZH)


def _both(rng: Random) -> str:
    forms = (
        f"{rng.choice(_ZH)[:4]} {_english(rng, (1, 2))}",
        f"{_english(rng, (1, 2))} {rng.choice(_ZH)[:5]}",
        f"{rng.choice(_ZH)[:4]}{rng.randint(2, 99)}{rng.choice('元号楼个年')}",
        f"第{rng.randint(1, 30)}期 {rng.choice(_EN).upper()} {rng.choice(_ZH)[:3]}",
    )
    return rng.choice(forms)


def _moment(rng: Random) -> tuple[str, str]:
    year, month, day = rng.randint(1998, 2026), rng.randint(1, 12), rng.randint(1, 28)
    date = rng.choice(
        (f"{year}-{month:02}-{day:02}", f"{year}/{month:02}/{day:02}", f"{month:02}-{day:02}-{year}",
         f"{year}年{month:02}月{day:02}日", f"{day:02}.{month:02}.{year}")
    )  # fmt: skip
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return date, clock


def _cctv(rng: Random) -> str:
    date, clock = _moment(rng)
    week = rng.choice(
        ("", "", " 星期" + rng.choice("一二三四五六日"), " " + rng.choice(("MON", "TUE", "FRI")))
    )
    return f"{date}{week} {clock}"


def _plate(rng: Random) -> str:
    tail = "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789") for _ in range(5))
    if rng.random() < 0.5:
        return f"{rng.choice(_PLATE_ZH)}{rng.choice('ABCDEFG')}·{tail}"
    return f"{rng.choice('ABCDEFGH')}{rng.choice('KLMN')}{rng.randint(10, 99)} {tail[:3]}"


def _score(rng: Random) -> str:
    home, away = rng.sample(_TEAMS, 2)
    clock = f"{rng.randint(0, 90):02}:{rng.randint(0, 59):02}"
    return f"{home} {rng.randint(0, 9)} - {rng.randint(0, 9)} {away}  {clock}"


def _price(rng: Random) -> str:
    value = f"{rng.randint(1, 199)}.{rng.choice(('99', '50', '00', '95', '80'))}"
    return rng.choice((f"¥{value}", f"${value}", f"€{value}", f"{value}元/斤", f"£{value} each"))


def _name(rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(_ZH_NAMES)
    return f"{rng.choice(_NAMES)} {rng.choice(_NAMES)}"


WORDINGS = {
    "en": _english,
    "zh": _chinese,
    "both": _both,
    "cctv": _cctv,
    "plate": _plate,
    "number": lambda rng: str(rng.randint(1, 99)),
    "score": _score,
    "price": _price,
    "name": _name,
}


def write(kind: str, rng: Random) -> str:
    """Return a text of one kind."""
    return WORDINGS[kind](rng) if kind in WORDINGS else rng.choice(_TEXTS[kind])
