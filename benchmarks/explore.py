"""Frames per second of the interactive page while a token moves: python benchmarks/explore.py. Needs Chromium.

The example of Fig 1c has 21 tokens. One of them moves on a circle, a step per frame; everything that the page shows is
computed anew in each frame. Written to benchmarks/explore.md.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "workflow")]

from attention_dynamics.config.load import load_config  # noqa: E402
from attention_dynamics.gallery.explore import FOLDER, render_explore  # noqa: E402
from attention_dynamics.pipeline.jobs import Jobs  # noqa: E402
from helpers.chromium import Browser  # noqa: E402

FRAMES = 200
CASES = {"without basins": (1280, 0), "with basins": (1280, 1), "with basins, 360 px": (360, 1)}
MOVE = """(async () => {
  const frames = [], work = []
  const frame = () => new Promise(requestAnimationFrame)
  page.dragging = true
  let last = await frame()
  for (let k = 0; k < FRAMES; k++) {
    moveToken(0, 3, {x: -1 + 0.4 * Math.sin(k / 6), y: 1 + 0.4 * Math.cos(k / 6)})
    cancelAnimationFrame(page.frame)
    const began = performance.now()
    update(began)
    work.push(performance.now() - began)
    const now = await frame()
    frames.push(now - last)
    last = now
  }
  page.dragging = false
  return [frames, work]
})()"""
HEAD = """# Frames per second of the interactive page

Headless Chromium without a graphics processor, on a shared machine with two cores. One of 21 tokens (Fig 1c) moves in
each frame. Work is what the page computes and draws in a frame, without the browser's own layout and painting.

| | frames per second | frame, median ms | frame, 95th percentile ms | work, median ms |
| --- | --- | --- | --- | --- |
"""


def measure(browser: Browser, file: Path, width: int, basins: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds between frames and those of the page's own work."""
    browser.open(file, width, fragment=f"#basins={basins}")
    browser.evaluate("loadPreset('fig1c')")
    browser.evaluate("new Promise(done => setTimeout(done, 500))")
    frames, work = browser.evaluate(MOVE.replace("FRAMES", str(FRAMES)))
    return frames, work


def main() -> None:
    """Measure all cases and write the table."""
    text = HEAD
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "explore.html"
        presets = Jobs(load_config(ROOT / "config", {})).get("explore").spec["presets"]
        file.write_text(render_explore(FOLDER, presets))
        browser = Browser(Path(folder) / "profile")
        for name, case in CASES.items():
            frames, work = measure(browser, file, *case)
            rate, slow = 1000 * len(frames) / sum(frames), quantiles(frames, n=20)[-1]
            text += f"| {name} | {rate:.0f} | {median(frames):.1f} | {slow:.1f} | {median(work):.1f} |\n"
        browser.close()
    (ROOT / "benchmarks/explore.md").write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
