"""A real browser for tests: Debian's Chromium, every request it makes, and its screenshots."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, sync_playwright

from tests.conftest import REPOSITORY
from tests.processes import wait_until

SHOTS = Path(os.environ.get("VIDENCE_SCREENSHOTS") or REPOSITORY / "build" / "screenshots")
PATIENCE_MS = 240_000
MAIN = "from vidence.cli import main; main()"
_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
]


@dataclass
class Visit:
    """A page in a browser, what it asked for and what went wrong in it."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, route: str = "") -> None:
        self.page.goto(f"{self.address}/#{route}")

    def until(self, expression: str) -> None:
        """Wait until an expression is true; the page's own policy forbids Playwright's waiting for one."""
        wait_until(lambda: self.page.evaluate(expression))

    def shot(self, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")

    def new_conversation(self) -> None:
        """Begin again where something was asked already."""
        self.page.wait_for_selector(".turn, .first-visit")
        if self.page.locator(".turn").count():
            self.page.locator("text=New conversation").click()
            self.page.wait_for_selector(".first-visit")

    @property
    def outside(self) -> list[str]:
        """The requests that left this machine's server."""
        return [one for one in self.requests if not one.startswith((self.address, "data:", "blob:"))]


@contextmanager
def browsing(address: str, **options: object) -> Iterator[Visit]:
    """Open a browser on a server; skip the test where there is no Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium here; on Debian: apt-get install chromium fonts-noto-cjk")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_ARGS)
        chosen = {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB", **options}
        context: BrowserContext = browser.new_context(**chosen)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        visit = Visit(context.new_page(), address)
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on(
            "console", lambda line: visit.errors.append(line.text) if line.type == "error" else None
        )
        try:
            yield visit
        finally:
            browser.close()


@contextmanager
def serve_process(home: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `vidence serve` as a person does; yield the process and its address."""
    command = [sys.executable, "-c", MAIN, "--home", str(home), "serve", "--port", str(port), "--no-open"]
    # Notes are read by extraction: as fast on a busy machine as on an idle one.
    quick = {**os.environ, "VIDENCE_LLM__TASKS__READER": "embedded"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=quick)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert "vidence is at" in line, line
        yield process, line.split()[3]
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stderr.close()


def watch(visit: Visit) -> None:
    """Open the last added video."""
    visit.open()
    visit.page.locator(".card a.poster").first.click()
    visit.page.wait_for_selector(".shot")
    visit.until("document.querySelector('video').readyState >= 2")


def ask(visit: Visit, question: str) -> None:
    """Ask in the conversation that is open."""
    visit.page.fill("#question", question)
    visit.page.keyboard.press("Enter")
