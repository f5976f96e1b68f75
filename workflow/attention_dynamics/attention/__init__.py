"""Softmax attention trained by full-batch methods: models, losses, the gradient without cancellation, the loop."""
