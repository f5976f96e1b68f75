"""One folder per paper, one module per figure with ``draw(runs, *, ...) -> Figure``; one style for all.

``runs`` maps run names to ``run.Run``. A plot shows what is stored and computes nothing beyond layout. The
keyword-only arguments of ``draw`` are what the configuration may set under ``plot``.
"""
