"""The modules that a program imports."""

import subprocess
import sys

from attention_dynamics.registry import PACKAGE


def imported_modules(code: str) -> set[str]:
    """Return the names of all modules that a new process has imported after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"]
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return set(done.stdout.split())
