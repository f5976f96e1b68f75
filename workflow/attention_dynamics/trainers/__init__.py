"""The kinds of run: one module each, with ``train(problem, spec) -> trajectory``.

Those with ``RESUMES = True`` also take ``checkpoints``, a path, and ``code``, a fingerprint, and go on where they were
killed; to those that start from another run goes its trajectory, ``pretrained``. What a kind may be configured with is
its class in ``pipeline.run_kinds``. A trajectory has "step" (records,), the iteration of every record (for a
regularization path, its radius), and what was recorded of every trained parameter, (records, P, starts, ...).
"""
