"""Settings of torch that make results bit-identical on every run."""

import torch


def use_deterministic_algorithms(device: str = "cpu") -> None:
    """Use one thread, and deterministic kernels off the CPU.

    Raises ValueError for a device that torch does not find.
    """
    torch.set_num_threads(1)
    # On the CPU one thread is enough, and importing what deterministic kernels need takes a second.
    if device != "cpu":
        if not torch.cuda.is_available():
            raise ValueError(f"device: torch {torch.__version__} finds no {device} on this machine")
        torch.use_deterministic_algorithms(True)
