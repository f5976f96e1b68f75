"""The classifier of texts: the network, its problem, and runs of the pipeline."""

import numpy as np
import pytest
import torch
from attention_dynamics.trainers import text_classification

from attention_dynamics.deep.language.text_classifier_module import TextClassifier
from attention_dynamics.deep.networks import text_classifier
from attention_dynamics.measures import network, weights
from attention_dynamics.problems import stored
from attention_dynamics.problems import texts as problems
from attention_dynamics.run import Run


def classifier(**changed):
    torch.manual_seed(0)
    return TextClassifier((2, 6, 11), **{"dim": 8, "depth": 2, "heads": 2, "mlp": 12, "dropout": 0.3} | changed)


def test_padding_changes_nothing():
    model = classifier().eval()
    tokens = torch.tensor([[[1, 4, 5, 0, 0, 0], [0] * 6]])
    logits = model(tokens)
    assert logits.shape == (1, 2)
    assert (logits[:, 0] == 0).all()
    with torch.no_grad():
        model.embedding.weight[0] += 10
    assert torch.equal(model(tokens), logits)


def test_nothing_in_the_classifier_has_a_bias():
    names = {name.rpartition(".")[2] for name, _ in classifier().named_parameters()}
    assert names == {"weight", "position"}


def test_a_block_is_attention_and_a_perceptron_each_normalised_after_it():
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
    return problems.build(dataset="imdb", vocabulary="words", length=12, words=40, train=60, test=20)


def test_passages_are_numbered_words_after_cls_in_equal_classes(texts):
    assert texts.train_tokens.shape == (60, 2, 12)
    assert (texts.train_tokens[:, 0, 0] == 2).all()
    assert not texts.train_tokens[:, 1].any()
    assert texts.words[:3].tolist() == ["[PAD]", "[UNK]", "[CLS]"]
    assert abs(texts.train_labels.mean() - 0.5) < 0.1
    assert abs(texts.test_labels.mean() - 0.5) < 0.2
    again = stored.from_arrays(texts.to_arrays())
    np.testing.assert_array_equal(again.test_tokens, texts.test_tokens)
    assert again.classes.tolist() == texts.classes.tolist()


def test_a_classifier_is_trained_by_mirror_descent_and_its_weights_are_counted(texts):
    spec = {
        "network": {"kind": "text_classifier", "dim": 8, "depth": 1, "heads": 1, "mlp": 8},
        "deep_optimizer": {"kind": "mirror_descent", "exponent": 1.1, "lr": 0.3}, "epochs": 2, "record_every": 1,
        "observe": ["weights"],
        "batch_size": 4, "seeds": [0, 1], "device": "cpu",
    }  # fmt: skip
    trajectory = text_classification.train(texts, spec)
    run = Run(texts, {}, trajectory, spec)
    assert network.measure(run)["test_accuracy"].shape == (3, 1, 2)
    series = weights.measure(run, large=0.1)
    assert set(series) == set(weights.SERIES)
    np.testing.assert_array_equal(series["large_v"], series["weight_counts_v"][..., 20:].sum(-1) / 64)
    assert (series["weight_counts_v"].sum(-1) == 64).all()


def test_a_training_that_stops_stays_as_it_is(texts):
    spec = {
        "network": {"kind": "text_classifier", "dim": 8, "depth": 1, "heads": 1, "mlp": 8},
        "deep_optimizer": {"kind": "mirror_descent", "exponent": 2, "lr": 0.3}, "epochs": 6, "record_every": 2,
        "observe": ["weights", "sentences"], "batch_size": 4, "seeds": [0, 1], "device": "cpu", "stop_at": None,
    }  # fmt: skip
    whole = text_classification.train(texts, spec | {"record_every": 1})
    assert whole["epochs_trained"][:, 0, 0].tolist() == list(range(7))
    accuracy = whole["train_accuracy"][1:, 0]
    level = np.sort(accuracy.ravel())[-8]
    ends = [1 + int((accuracy[:, k] >= level).argmax()) if (accuracy[:, k] >= level).any() else 6 for k in range(2)]
    assert min(ends) < 6
    stopped = text_classification.train(texts, spec | {"stop_at": {"train_accuracy": float(level)}})
    np.testing.assert_array_equal(stopped["step"], [0, 2, 4, 6])
    for k, end in enumerate(ends):
        epochs = [min(epoch, end) for epoch in (0, 2, 4, 6)]
        np.testing.assert_array_equal(stopped["epochs_trained"][:, 0, k], epochs)
        for name in ("train_accuracy", "test_accuracy", "weight_max_v", "sentence_attention"):
            np.testing.assert_array_equal(stopped[name][:, 0, k], whole[name][epochs, 0, k])


def test_a_classifier_tells_two_classes_apart_and_no_more():
    with pytest.raises(ValueError, match="text_classifier is for 2 classes, the problem has 3"):
        text_classifier.build((6, 11), 3, dim=8, depth=1, heads=1, mlp=8)
    with pytest.raises(ValueError, match="heads: 3 of them do not divide dim = 8"):
        classifier(heads=3)
