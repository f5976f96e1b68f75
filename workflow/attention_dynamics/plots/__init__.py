"""Code that the drawings of all papers share: the style, tables, the plane, and types of settings.

``papers/<paper>/<figure>.py`` has the functions ``draw(runs, *, ...) -> Figure``: ``runs`` maps run names to
``run.Run``, and the keyword-only parameters are what the configuration may set under ``plot``. A drawing shows what is
stored, as it is or summarised over the data sets (means, ranges, counts, lines by ``series.fits``).
"""
