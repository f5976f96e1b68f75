"""Code that the drawings of all papers share: style, tables, drawing in the plane, and types of settings.

A module ``papers/<paper>/<module>.py`` defines functions ``draw...(runs, *, ...) -> Figure``. ``runs`` maps run names
to ``run.Run``. The keyword-only parameters are what the configuration may set under ``plot``. A drawing shows stored
series, as they are or summarized over data sets (means, ranges, counts, lines by ``series.fits``).
"""
