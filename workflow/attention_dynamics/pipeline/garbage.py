"""How often Python looks for garbage in a process that imports much and ends soon.

Modules, planned jobs and syntax trees are many small objects that all stay. To look for garbage among them, while they
come and once more at the end of the process, took a third of the start of a job that imports torch, and two of five
seconds of Snakemake's.
"""

import atexit
import gc

USUAL = gc.get_threshold()


def look_seldom() -> None:
    """From here on, and at the end not at all."""
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)


def look_as_usual() -> None:
    """From here on, but for what is there already."""
    gc.freeze()
    gc.set_threshold(*USUAL)
