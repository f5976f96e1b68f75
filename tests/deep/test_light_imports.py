"""Modules that a configuration needs are quick to import, because every start reads it."""

import subprocess
import sys

import pytest

from attention_dynamics.registry import PACKAGE

HEAVY = {
    "torch", "torch._dynamo", "transformers", "sklearn", "PIL", "pandas", "matplotlib", "safetensors", "pooch",
}  # fmt: skip
NETWORK = {"kind": "vit", "patch": 2, "dim": 8, "depth": 1, "heads": 2, "mlp": 8}


def heavy_after(code: str) -> str:
    """Return the heavy packages that are imported once this code has run in a process of its own."""
    code = f"import sys; {code}; print(sorted({HEAVY} & set(sys.modules)))"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_components_and_data_sets_are_imported_without_heavy_packages():
    modules = ["networks", "optim", "problems", "tasks"]
    modules += [f"datasets.{name}" for name in ("images", "texts", "sources", "published_bert", "tokens")]
    assert heavy_after("import " + ", ".join(f"attention_dynamics.deep.{name}" for name in modules)) == "[]"


IMAGES = {
    "kind": "image_training", "network": NETWORK, "deep_optimizer": {"kind": "sgd", "lr": [0.1, 0.2]}, "batch_size": 8,
    "epochs": 3,
}  # fmt: skip


@pytest.mark.parametrize(
    ("training", "problem"),
    [
        (IMAGES, {"kind": "images", "dataset": "mnist"}),
        ("published_weights", {"kind": "texts", "dataset": "mnli", "length": 9, "vocabulary": "bert-base-uncased"}),
    ],
)
def test_training_config_is_read_without_heavy_packages(training, problem):
    code = (
        f"from attention_dynamics.training import Training; training = Training.of({training!r});"
        "from attention_dynamics.problems.source import ProblemSource;"
        f"training.check(ProblemSource.of({problem}).shape);"
        "training.columns(None), training.sizes, training.model_dump_json()"
    )
    assert heavy_after(code) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_training_on_cpu_imports_no_compiler(optimizer):
    code = (
        "from attention_dynamics.deep.problems import ImageSource;"
        "from attention_dynamics.deep.tasks import ImageTraining;"
        f"optimizer = {{'kind': '{optimizer}', 'lr': 0.1}};"
        f"training = ImageTraining(network={NETWORK}, deep_optimizer=optimizer, batch_size=8, epochs=1, seeds=[0]);"
        "training.train(ImageSource(dataset='mnist', train=16, test=8).build());"
        "import torch; optimizer = training.deep_optimizer.build([torch.nn.Parameter(torch.zeros(1))], 1);"
        "optimizer.load_state_dict(optimizer.state_dict())"
    )
    heavy = heavy_after(code)
    assert "'torch'" in heavy
    assert "torch._dynamo" not in heavy
