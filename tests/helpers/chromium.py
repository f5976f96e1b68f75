"""A headless Chromium without network, controlled over a pipe (the DevTools protocol)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
)  # fmt: skip
# Virtual key codes, and the text that a key types.
KEYS = {
    "Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " "), "Escape": (27, ""), "Delete": (46, ""),
    "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""),
}  # fmt: skip
GET = "install Chromium (Debian: apt-get install chromium) for the tests in a browser"


def program() -> str | None:
    """Return the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


NEEDED = pytest.mark.skipif(program() is None and not os.environ.get("CHROMIUM_REQUIRED"), reason=GET)


class Browser:
    """One page of a Chromium of its own.

    ``errors`` collects what its console complains about, ``requests`` the addresses that it asks for.
    """

    def __init__(self, profile: Path) -> None:
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4. A plain sh may not know numbers above 9.
        shell = f'exec "$@" 3<&{commands} 4>&{answers}'
        options = [*OPTIONS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", program(), *options],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._number, self._session, self._rest = 0, None, b""
        self.errors: list[dict[str, Any]] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )

    def close(self) -> None:
        """End the browser."""
        os.close(self._commands)
        os.close(self._answers)
        self._process.terminate()
        self._process.wait(timeout=20)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._answers, 1 << 16)
            assert piece, "Chromium ended"
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        given, method = event.get("params", {}), event.get("method")
        if method == "Runtime.exceptionThrown" or (
            method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning")
        ):
            self.errors.append(given)
        elif method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])

    def open(self, file: Path, width: int, height: int = 900, fragment: str = "") -> None:
        """Open a file in a window of this size in CSS pixels, and wait until it is loaded.

        fragment: of the address, with its #. The page is loaded anew even where only that differs.
        """
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=file.resolve().as_uri() + fragment)
        self.evaluate("document.readyState == 'complete' || new Promise(done => addEventListener('load', done))")

    def evaluate(self, script: str) -> Any:
        """Return the value of a script's last expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """Press a key of KEYS."""
        code, text = KEYS[key]
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text,
                modifiers=8 if shift else 0,
            )  # fmt: skip

    def drag(self, *places: tuple[float, float]) -> None:
        """Press the mouse button at the first place, in CSS pixels of the window, and release it at the last."""
        kinds = ["mousePressed", *["mouseMoved"] * (len(places) - 1), "mouseReleased"]
        for kind, (x, y) in zip(kinds, [*places, places[-1]], strict=True):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def tap(self, x: float, y: float) -> None:
        """Touch a place of the window for a moment."""
        self.swipe((x, y))

    def swipe(self, *places: tuple[float, float]) -> None:
        """Touch the first place of the window, move to the others in turn, and let go."""
        for kind, (x, y) in zip(["touchStart", *["touchMove"] * (len(places) - 1)], places, strict=True):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def screenshot(self, file: Path) -> None:
        """Save what the window shows as PNG."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def opened() -> Iterator[Browser]:
    """Start a browser with a profile of its own, and end it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(Path(profile))
        try:
            yield browser
        finally:
            browser.close()
