"""A small newsroom to monitor."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGES = {
    "release.md": (
        "---\ntitle: DeepSeek releases R1\ndate: 2025-01-20\nauthor: Jane Roe\n---\n"
        "DeepSeek released its reasoning model DeepSeek R1 on 20 January 2025 under the MIT licence. "
        "The company said that training DeepSeek R1 cost 5.6 million dollars. "
        "The model can be downloaded by anyone, the company said in a statement."
    ),
    "price.md": (
        "---\ntitle: DeepSeek cuts prices\ndate: 2025-02-26\n---\n"
        "DeepSeek cut the price of its API by up to 75 percent during the night hours. "
        "DeepSeek R1 is cheaper than the models of its rival OpenAI, analysts said."
    ),
    "ban.md": (
        "---\ntitle: Italy blocks DeepSeek\ndate: 2025-01-30\n---\n"
        "Italy's data protection authority blocked the DeepSeek app on 30 January 2025 over privacy. "
        "The authority said that DeepSeek had not answered its questions about personal data."
    ),
    "gardening.md": "# Roses\n\nRoses should be pruned in late winter, before the first leaves come out.",
}


@pytest.fixture
def news(tmp_path: Path) -> Path:
    folder = tmp_path / "news"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
