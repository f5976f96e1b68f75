"""One folder per paper, one module per figure with ``draw(runs, *, ...) -> Figure``; one style for all.

``runs`` maps run names to ``run.Run``. A plot shows what is stored, as it is or summarised over
the data sets (means, ranges, counts, lines by ``claims.fits``). The
keyword-only arguments of ``draw`` are what the configuration may set under ``plot``.
"""
