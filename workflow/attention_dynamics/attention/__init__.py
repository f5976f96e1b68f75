"""Softmax attention trained on the full batch: models, losses, the gradient without cancellation, the training loop."""
