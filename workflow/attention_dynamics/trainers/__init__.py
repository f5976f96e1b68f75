"""The kinds of run: one module each, with ``train(problem, spec) -> trajectory``.

What a kind may be configured with is its class in ``pipeline.run_kinds``. A trajectory has "step" (records,), the
iteration of every record (for a regularization path, its radius), and what was recorded of every trained parameter,
(records, P, starts, ...).
"""
