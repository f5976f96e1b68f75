"""What is measured on a trained run: one module each, with ``measure(run, *, ...) -> {series: array}``.

Every series is an array (records, problems, k), with k = number of starts unless the module says otherwise. ``SERIES``
names them; ``{reference}`` and ``{parameter}`` in a name stand for each reference direction and trained parameter.
``DATA``: the kinds of problems that it is for, ("tokens",) unless it says otherwise. ``NEEDS``: keys of a run's block
without which there is nothing to measure. ``OBSERVED``: what a run of networks must ``observe`` for it.
"""
