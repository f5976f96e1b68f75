"""Where data comes from: one module per kind of problem, each with ``build(*, ...) -> Problem``.

The keyword-only arguments of ``build`` are what the configuration may set; their annotations are the check. ``shape``,
with the same arguments, returns the size of what would be built and raises ValueError for arguments that contradict
each other; it is called when the configuration is read, so these modules import torch only inside ``build``.
A ``build`` with an argument ``dataset`` is given ``source`` and ``mirror`` besides: the settings data and data_mirror.
"""
