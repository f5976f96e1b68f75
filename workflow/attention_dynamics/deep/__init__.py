"""Networks: data sets, architectures, optimizers, training with checkpoints, and observations during training."""
