"""Pre-training is a separate stage; the fine-tuning runs that name it depend on it."""

import pytest

from attention_dynamics.store import load_arrays
from conftest import fresh

RUNS = "results/smoke/fast_rates/mnli/from-embedded"
TUNED, PRETRAINED = f"{RUNS}/mnli_sgd/train.npz", f"{RUNS}/pretraining_mnli/train.npz"


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    repository = fresh(tmp_path_factory.mktemp("pretrained") / "repository", ("fast_rates",))
    repository.snakemake(TUNED, "--config", "scale=smoke")
    return repository


def test_fine_tuning_requires_its_pretraining(repository):
    weights = [name for name in load_arrays(repository.root / PRETRAINED) if name.startswith("weights/")]
    assert "weights/embeddings.word_embeddings.weight" in weights
    assert load_arrays(repository.root / TUNED)["train_loss"].shape == (3, 1, 4)


def test_changed_pretraining_reruns_fine_tuning_but_not_conversely(repository):
    def jobs(run, changed):
        setting = f"fast_rates={{runs: {{{run}: {{batch_size: {changed}}}}}}}"
        text = repository.snakemake("-n", TUNED, "--config", "scale=smoke", setting).stdout
        return [line.split()[1] for line in text.splitlines() if line.startswith("    output:")]

    assert jobs("pretraining_mnli", 16) == [PRETRAINED, TUNED]
    assert jobs("mnli_sgd", 16) == [TUNED]


def test_missing_published_weights_stop_run_before_start(repository):
    message = "config/fast_rates/fig1.yaml: problems.mnli.vocabulary: bert-base-uncased is not embedded"
    assert message in repository.refusal("figures/fast_rates/fig1.pdf", "--config", "scale=paper")
    assert not (repository.root / "results" / "paper").exists()


def test_missing_weights_are_named_before_training(repository, tmp_path):
    target = f"{RUNS}/pretraining_mnli/train.npz".replace("smoke", "workstation").replace("embedded", "mirror")
    config = ("--config", "scale=workstation", "data=mirror", f"data_mirror={tmp_path}")
    printed = repository.refusal(target, "--keep-going", *config)
    assert f"{tmp_path}/model.safetensors: is missing; it is https://huggingface.co/sentence-transformers/" in printed
    assert f"{tmp_path}/vocab.txt: is missing" in printed
    assert not (repository.root / "results" / "workstation" / "fast_rates").exists()
