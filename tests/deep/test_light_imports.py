"""Modules that a configuration needs are quick to import, because every start reads it."""

import subprocess
import sys

import pytest

from attention_dynamics.deep.networks import Network
from attention_dynamics.deep.optim import DeepOptimizer
from attention_dynamics.registry import PACKAGE, kinds

HEAVY = (
    "torch",
    "torch._dynamo",
    "transformers",
    "sklearn",
    "PIL",
    "pandas",
    "matplotlib",
    "safetensors",
    "pooch",
)


def heavy_after(code: str) -> str:
    """Return the heavy packages that are imported once this code has run in a process of its own."""
    code = f"import sys; {code}; print(sorted(set({HEAVY}) & set(sys.modules)))"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_components_are_imported_without_heavy_packages():
    modules = [f"attention_dynamics.deep.{name}" for name in ("networks", "optim", "problems", "tasks")]
    assert heavy_after(f"import {', '.join(modules)}") == "[]"


@pytest.mark.parametrize(
    "training",
    [
        "{'kind': 'image_training', 'network': {'kind': 'vit', 'patch': 2, 'dim': 8, 'depth': 1, 'heads': 2, 'mlp': 8},"
        " 'deep_optimizer': {'kind': 'sgd', 'lr': [0.1, 0.2]}, 'batch_size': 8, 'epochs': 3}",
        "'published_weights'",
    ],
)
def test_training_config_is_read_without_heavy_packages(training):
    code = (
        f"from attention_dynamics.training import Training; training = Training.of({training});"
        "from attention_dynamics.problems.source import ProblemSource;"
        "texts = {'kind': 'texts', 'dataset': 'mnli', 'length': 9, 'vocabulary': 'bert-base-uncased'};"
        "images = {'kind': 'images', 'dataset': 'mnist'};"
        "training.check(ProblemSource.of(images if training.data == 'images' else texts).shape);"
        "training.columns(None), training.sizes, training.model_dump_json()"
    )
    assert heavy_after(code) == "[]"


@pytest.mark.parametrize("module", ["images", "texts", "sources", "published_bert", "tokens"])
def test_data_sets_are_imported_without_heavy_packages(module):
    assert heavy_after(f"import attention_dynamics.deep.datasets.{module}") == "[]"


def test_kinds_of_modules_are_found():
    networks = {"bert", "decoder", "masked_bert", "patch_attention", "small_data_vit", "text_classifier", "vit"}
    assert set(kinds(Network)) == networks
    assert set(kinds(DeepOptimizer)) == {"adam", "mirror_descent", "normalized_sgd", "polyak", "sgd"}


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_training_on_cpu_imports_no_compiler(optimizer):
    code = (
        "from attention_dynamics.deep.problems import ImageSource;"
        "from attention_dynamics.deep.tasks import ImageTraining;"
        "network = {'kind': 'vit', 'patch': 2, 'dim': 8, 'depth': 1, 'heads': 2, 'mlp': 8};"
        f"optimizer = {{'kind': '{optimizer}', 'lr': 0.1}};"
        "training = ImageTraining(network=network, deep_optimizer=optimizer, batch_size=8, epochs=1, seeds=[0]);"
        "training.train(ImageSource(dataset='mnist', train=16, test=8).build());"
        "import torch; optimizer = training.deep_optimizer.build([torch.nn.Parameter(torch.zeros(1))], 1);"
        "optimizer.load_state_dict(optimizer.state_dict())"
    )
    heavy = heavy_after(code)
    assert "'torch'" in heavy
    assert "torch._dynamo" not in heavy
