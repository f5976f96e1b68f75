"""The classifier of texts: the network, its problem, and runs of the pipeline."""

import numpy as np
import pytest
import torch

from attention_dynamics.deep.networks import TextClassifier
from attention_dynamics.deep.problems import TextSource
from attention_dynamics.deep.tasks import TextClassification
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems import stored
from attention_dynamics.run import Run

SETTINGS = {
    "network": {"kind": "text_classifier", "dim": 8, "depth": 1, "heads": 1, "mlp": 8},
    "deep_optimizer": {"kind": "mirror_descent", "exponent": 1.1, "lr": 0.3},
    "epochs": 2,
    "observe": ["weights"],
    "batch_size": 4,
    "seeds": [0, 1],
}


def classifier(**changed):
    torch.manual_seed(0)
    settings = {"dim": 8, "depth": 2, "heads": 2, "mlp": 12, "dropout": 0.3} | changed
    return TextClassifier(**settings).build((2, 6, 11), 2)


def test_padding_changes_nothing():
    model = classifier().eval()
    tokens = torch.tensor([[[1, 4, 5, 0, 0, 0], [0] * 6]])
    logits = model(tokens)
    assert logits.shape == (1, 2)
    assert (logits[:, 0] == 0).all()
    with torch.no_grad():
        model.embedding.weight[0] += 10
    assert torch.equal(model(tokens), logits)


def test_block_normalizes_after_attention_and_perceptron():
    model = classifier(depth=1, heads=1).eval()
    tokens = torch.tensor([[1, 4, 5, 7, 2, 3]])
    hidden, block = model.embedding(tokens) + model.position, model.blocks[0]
    weights = block.projections()
    query, key, value = (hidden @ weights[name].T for name in "QKV")
    attended = (query @ key.mT / 8**0.5).softmax(-1) @ value @ block.out.weight.T
    # Their gain is one at first.
    hidden = torch.nn.functional.layer_norm(hidden + attended, (8,))
    hidden = torch.nn.functional.layer_norm(hidden + block.mlp(hidden), (8,))
    torch.testing.assert_close(
        model(torch.stack([tokens, tokens], 1))[:, 1], (hidden[:, 0] @ model.head.weight.T)[:, 0]
    )
    assert model.projections()["K"].shape == (1, 8, 8)


@pytest.fixture(scope="module")
def texts():
    return TextSource(dataset="imdb", vocabulary="words", length=12, words=40, train=60, test=20).build()


def test_passages_are_encoded_after_cls_in_balanced_classes(texts):
    assert texts.train_tokens.shape == (60, 2, 12)
    assert (texts.train_tokens[:, 0, 0] == 2).all()
    assert not texts.train_tokens[:, 1].any()
    assert texts.words[:3].tolist() == ["[PAD]", "[UNK]", "[CLS]"]
    assert abs(texts.train_labels.mean() - 0.5) < 0.1
    assert abs(texts.test_labels.mean() - 0.5) < 0.2
    assert texts.to_arrays()["kind"] == "texts"
    again = stored.from_arrays(texts.to_arrays())
    np.testing.assert_array_equal(again.test_tokens, texts.test_tokens)
    assert again.classes.tolist() == texts.classes.tolist()


def test_mirror_descent_trains_classifier_and_counts_weights(texts):
    training = TextClassification(**SETTINGS)
    run = Run(training=training, problem=texts, trajectory=training.train(texts))
    assert Measure.of("network").measure(run)["test_accuracy"].shape == (3, 1, 2)
    weights = Measure.of({"kind": "weights", "large": 0.1})
    series = weights.measure(run)
    assert set(series) == set(weights.series)
    np.testing.assert_array_equal(series["large_v"], series["weight_counts_v"][..., 20:].sum(-1) / 64)
    assert (series["weight_counts_v"].sum(-1) == 64).all()


@pytest.mark.slow
def test_stopped_training_keeps_last_values(texts):
    settings = SETTINGS | {
        "deep_optimizer": {"kind": "mirror_descent", "exponent": 2, "lr": 0.3},
        "epochs": 6,
        "observe": ["weights", "sentences"],
    }
    whole = TextClassification(**settings).train(texts)
    assert whole["epochs_trained"][:, 0, 0].tolist() == list(range(7))
    accuracy = whole["train_accuracy"][1:, 0]
    level = np.sort(accuracy.ravel())[-8]
    ends = [1 + int((accuracy[:, k] >= level).argmax()) if (accuracy[:, k] >= level).any() else 6 for k in range(2)]
    assert min(ends) < 6
    stopping = TextClassification(**settings, record_every=2, stop_at={"train_accuracy": float(level)})
    stopped = stopping.train(texts)
    np.testing.assert_array_equal(stopped["step"], [0, 2, 4, 6])
    assert [step for step in range(8) if stopping.records_step(step)] == [0, 2, 4, 6]
    for k, end in enumerate(ends):
        epochs = [min(epoch, end) for epoch in (0, 2, 4, 6)]
        np.testing.assert_array_equal(stopped["epochs_trained"][:, 0, k], epochs)
        for name in ("train_accuracy", "test_accuracy", "weight_max_v", "sentence_attention"):
            np.testing.assert_array_equal(stopped[name][:, 0, k], whole[name][epochs, 0, k])
