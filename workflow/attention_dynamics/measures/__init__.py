"""Measures of a trained run: one ``Measure`` per module, whose ``measure`` returns named series."""
