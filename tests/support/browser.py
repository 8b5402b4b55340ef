"""Drives a browser without a window, by the DevTools protocol over two pipes: Chromium is all it needs."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER: Final = next((path for name in _NAMES if (path := shutil.which(name))), None)
KEYS: Final = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, " ": 32, "Tab": 9}
_PATIENCE: Final = 20.0
_WITH_PIPES: Final = """
import os, sys
from fcntl import F_DUPFD, fcntl
# First out of the way: either may be where the other has to be.
pipes = [fcntl(int(pipe), F_DUPFD, 10) for pipe in sys.argv[1:3]]
for pipe, wanted in zip(pipes, (3, 4)):
    os.dup2(pipe, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Starts the browser, which reads from descriptor 3 and writes to 4."""

needs_browser = pytest.mark.skipif(
    BROWSER is None or os.name != "posix", reason="there is no Chromium to open the page in"
)


class Page:
    """A page that is open.

    Attributes:
        complaints: what the page wrote to its console, and what it raised.
    """

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, os.fdopen(from_browser, "rb")
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self._seen: list[str] = []

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask for something, and give the answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self._from.read(1)) != b"\0":
            assert byte, "the browser is gone"
            data += byte
        message: dict[str, Any] = json.loads(data)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        self._seen.append(event["method"])
        if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.complaints.append(json.dumps(event["params"]))

    def attach(self) -> None:
        """Open an empty page."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def open(
        self, path: Path, *, width: int = 1200, height: int = 900, dark: bool = False, step: int | None = None
    ) -> None:
        """Open a file."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.send("Page.navigate", url="about:blank")
        self._seen.clear()
        self.send("Page.navigate", url=path.as_uri() + ("" if step is None else f"#step={step}"))
        self.until("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """Give the value of an expression."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, f"not within {_PATIENCE} s: {expression}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        text = {"text": key} if key == " " else {}
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key]}
        self.send("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def spoken(self) -> list[tuple[str, str]]:
        """Give what is said to those who do not see the page: roles and names."""
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"]
        ]

    def picture(self, path: Path) -> None:
        """Keep what is seen."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """Start a browser that keeps its files in a folder, with an empty page."""
    assert BROWSER is not None
    from_tests, to_browser = os.pipe()
    from_browser, to_tests = os.pipe()
    command = [
        sys.executable, "-c", _WITH_PIPES, str(from_tests), str(to_tests), BROWSER, "--headless", "--no-sandbox",
        "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}", "--no-first-run",
        "--disable-background-networking",
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        pass_fds=(from_tests, to_tests),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(from_tests)
    os.close(to_tests)
    page = Page(to_browser, from_browser)
    try:
        page.attach()
        yield page
        page._session = None
        page.send("Browser.close")
    finally:
        os.close(to_browser)
        page._from.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
