"""Settings of the notebooks' kernels: errors are printed, notes on their connection to this machine are not."""

c = get_config()  # noqa: F821

c.IPKernelApp.log_level = "ERROR"
c.HistoryManager.enabled = False
