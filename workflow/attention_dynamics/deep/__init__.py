"""Networks: data sets, architectures, optimizers, training with checkpoints, and what is observed of them."""
