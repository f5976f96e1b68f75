"""What is measured on a trained run: one ``Measure`` per module, whose ``measure`` returns named series."""
