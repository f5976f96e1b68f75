"""What is measured on a trained run: one module each, with ``measure(run, *, ...) -> {series: array}``.

Every series is an array (records, problems, k), with k = number of starts unless the module says otherwise. ``SERIES``
names them; ``{reference}`` and ``{parameter}`` in a name stand for each reference direction and trained parameter.
"""
