"""Settings of networks, optimizers and runs that are refused, most of them before a run starts."""

import functools

import pytest
import torch

from attention_dynamics.config.errors import ConfigError
from attention_dynamics.config.load import load_config
from attention_dynamics.deep.modules.bert import Masking
from attention_dynamics.deep.modules.observers import ClassifierObserver
from attention_dynamics.deep.modules.vision import patch_count
from attention_dynamics.deep.networks import Bert, Decoder, PatchAttention, TextClassifier, ViT
from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.deep.problems import TextShape, TextSource
from attention_dynamics.deep.tasks import (
    ImageTraining,
    LanguageModelling,
    MaskedLanguageModelling,
    PublishedWeights,
    TextClassification,
)
from attention_dynamics.deep.torch_optimizers import LpMirrorDescent, StochasticPolyak
from attention_dynamics.training import IncompatibleRunError
from attention_dynamics.types import Grid
from helpers.published_config import folder_of

LAYERS = {"dim": 8, "depth": 1, "heads": 2, "mlp": 8}
VIT = {"kind": "vit", "patch": 4} | LAYERS
SGD = {"kind": "sgd", "lr": 0.1}
WORDS = TextShape(classes=3, vocabulary="words")
PIECES = TextShape(classes=3, vocabulary="pieces")


class TwoAxes(DeepOptimizer, kind="two_axes"):
    a: Grid
    b: Grid = 1.0


def bert(**changed):
    return Bert(**LAYERS | changed).build((2, 7, 50), 3)


def decoder(**changed):
    return Decoder(**LAYERS | changed).build((6, 11), 11)


def weight():
    return [torch.nn.Parameter(torch.ones(1))]


def mirror(exponent):
    return LpMirrorDescent(weight(), 0.1, exponent)


def polyak(**given):
    return StochasticPolyak(weight(), **{"steps_per_epoch": 1} | given)


def images(**changed):
    settings = {"network": VIT, "deep_optimizer": SGD, "epochs": 3, "batch_size": 16, "observe": ["cls_attention"]}
    return ImageTraining(**settings | changed)


def language(**changed):
    settings = {"network": {"kind": "decoder"} | LAYERS, "deep_optimizer": SGD, "batch_size": 4, "segment": 5}
    return LanguageModelling(**settings | {"steps": 6, "record_every": 3} | changed)


def masked(**changed):
    settings = {"network": {"kind": "masked_bert"} | LAYERS, "deep_optimizer": SGD, "epochs": 3, "batch_size": 15}
    return MaskedLanguageModelling(**settings | changed)


def text_classifier():
    network = {"kind": "text_classifier"} | LAYERS
    return TextClassification(network=network, deep_optimizer=SGD, epochs=1, batch_size=4)


CONTRADICTIONS = [
    # networks
    (lambda: bert(heads=3), "heads: dim = 8 is not divisible by 3"),
    (lambda: bert(positions=6), "positions: 6 is less than the length of the texts, 7"),
    (lambda: decoder(heads=3), "heads: dim = 8 is not divisible by 3"),
    (lambda: decoder(dim=9, heads=3), "dim: must be even"),
    (lambda: TextClassifier(**LAYERS | {"heads": 3}).build((2, 6, 11), 2), "heads: dim = 8 is not divisible by 3"),
    (lambda: ViT(patch=4, **LAYERS | {"heads": 5}).build((3, 8, 12), 2), "heads: dim = 8 is not divisible by 5"),
    (lambda: ViT(patch=4, **LAYERS).build((1, 9, 8), 2), "an image of 9 x 8 pixels cannot be divided"),
    (lambda: PatchAttention(patch=4, dim=8).build((1, 8, 9), 2), "cannot be divided into patches"),
    (lambda: patch_count((8, 9), 4), "an image of 8 x 9 pixels cannot be divided into patches of 4 x 4"),
    (lambda: Masking(["[PAD]", "a"]), r"vocabulary: \[MASK\] is missing"),
    (lambda: ClassifierObserver(["sentences"], None), "observe: no sentence is listed"),
    # optimizers
    (lambda: mirror(1.0), "exponent: need a number above 1"),
    (lambda: mirror(10.5), "exponent: need a number above 1"),
    (lambda: polyak(steps_per_epoch=0), "steps_per_epoch: need a positive"),
    (lambda: polyak(c=-1.0), "c: need a positive"),
    (lambda: polyak().step(lambda: -torch.ones(())), "loss: need 0 or more, got -1.0"),
    (lambda: TwoAxes(a=(1,), b=(2, 3)), "got lists for a and b"),
    # training runs
    (lambda: images(network={"kind": "decoder"} | LAYERS), "network: decoder reads corp"),
    (lambda: images(network={"kind": "patch_attention", "patch": 4, "dim": 8}), "observe: network patch_attention has"),
    (lambda: images(network=VIT | {"heads": 3}), "heads: dim = 8 is not divisible by 3"),
    (lambda: images(deep_optimizer={"kind": "polyak"}, decay="cosine"), "decay: polyak has no learning rate lr"),
    (lambda: language(record_every=4), "record_every: must divide the 6 steps, and record_digits must not be set"),
    (lambda: language(record_digits=1), "record_every: must divide the 6 steps, and record_digits must not be set"),
    (lambda: masked(seeds=[0, 1]), "seeds: needs one seed, and no grid"),
    (lambda: masked(deep_optimizer={"kind": "adam", "lr": [0.1, 0.2]}), "seeds: needs one seed, and no grid"),
    # texts
    (
        lambda: TextSource(dataset="mnli", vocabulary="pieces", length=4),
        r"length: must be at least 5, \[CLS\] and \[SEP\] included, got 4",
    ),
    (
        lambda: TextSource(dataset="mnli", vocabulary="bert-base-uncased", length=8, words=9),
        "words: cannot be set with the vocabulary bert-base-uncased",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("build", "message"), CONTRADICTIONS)
def test_contradictory_settings_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("training", "shape", "setting", "message"),
    [
        (masked(), WORDS, "problem", "'words', which is not one of pieces, bert-base-uncased"),
        (PublishedWeights(), PIECES, "problem", "'pieces', which is not one of bert-base-uncased"),
        (text_classifier(), PIECES, "network", "text_classifier has 2 classes, but the problem has 3"),
    ],
)
def test_training_refuses_problem_and_names_setting(training, shape, setting, message):
    with pytest.raises(IncompatibleRunError, match=message) as refused:
        training.check(shape)
    assert refused.value.key == setting


def test_training_takes_problem_with_its_classes_and_pieces():
    published = TextShape(classes=3, vocabulary="bert-base-uncased")
    for training, shape in ((masked(), PIECES), (masked(), published), (PublishedWeights(), published)):
        training.check(shape)
    text_classifier().check(TextShape(classes=2, vocabulary="words"))


MASKED = {"kind": "masked_bert", "dim": 64, "depth": 2, "heads": 2, "mlp": 128}
PUBLISHED = {"kind": "published_weights", "problem": "mnli", "measures": {}}
MNLI, PRETRAINING = "fast_rates.runs.mnli_sgd", "fast_rates.runs.pretraining_mnli"
GRID, DECODER = "fast_rates.runs.small_adam", "scan_and_snap.runs.decoder_1"
WRONG_RUNS = [
    # weights of another run
    (MNLI, {"pretrained": "mnli_adam"}, "mnli_sgd.pretrained: 'mnli_adam' is not one of pretraining_mnli"),
    (MNLI, {"network": {"heads": 4}}, r"mnli_sgd.network: has sizes .*, but run pretraining_mnli, .* has \{"),
    (MNLI, {"network": MASKED}, "masked_bert reads masked texts, but this .* trains on texts"),
    (
        PRETRAINING, PUBLISHED,
        "pretraining_mnli.problem: problem mnli has the vocabulary 'pieces', which is not one of bert",
    ),
    (
        PRETRAINING, PUBLISHED | {"model": "minilm"},
        r"fig1\.yaml with .*: runs\.pretraining_mnli\.model: 'minilm' is not one of bert-base-uncased, all-minilm",
    ),
    # grids of step sizes
    (GRID, {"deep_optimizer": {"lr": [0.1, -1]}}, r"runs\.small_adam\.deep_optimizer\.lr"),
    (GRID, {"deep_optimizer": {"lr": []}}, r"runs\.small_adam\.deep_optimizer\.lr"),
    (GRID, {"deep_optimizer": {"lr": 0.1}}, r"measures\.best_of_grid: needs a run with a grid"),
    (GRID, {"measures": {"weights": {}}}, r"measures\.weights: needs observe: \[weights\]"),
    # decoders
    (DECODER, {"measures": {"network": {}}}, "measures.network: measures images"),
    (DECODER, {"steps": 150}, r"fig10.plot.panel.0.step: step 300 is not recorded \(decoder_1: 0 to 150"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "change", "message"), WRONG_RUNS)
def test_wrong_run_is_refused_before_start(place, change, message):
    paper, *keys = place.split(".")
    overrides = functools.reduce(lambda inner, key: {key: inner}, reversed(keys), change)
    with pytest.raises(ConfigError, match=message):
        load_config(folder_of(paper), {paper: overrides})
