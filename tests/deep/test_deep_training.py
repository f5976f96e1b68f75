"""The loop that trains networks: what it computes, what it refuses, and that being killed changes nothing."""

import random
import time
from contextlib import suppress

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from attention_dynamics import progress, store
from attention_dynamics.deep.networks import PatchAttention, SmallDataViT, ViT
from attention_dynamics.deep.torch_optimizers import FixedLengthSGD, LpMirrorDescent, StochasticPolyak
from attention_dynamics.deep.trainer import loop, splits
from attention_dynamics.deep.trainer.loop import (
    TrainingLoop,
    build_seeded,
    sample_order,
    seed_step,
    use_deterministic_algorithms,
)
from attention_dynamics.deep.trainer.record import Record, read_weights
from attention_dynamics.deep.trainer.schedule import Schedule
from attention_dynamics.deep.trainer.splits import Split
from helpers.forked_snakemake import SERVER
from helpers.stopped_training import stopped_before

OPTIMIZERS = {
    "adam": lambda ps: torch.optim.Adam(ps, lr=1e-2),
    "sgd": lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9),
    "normalized": lambda ps: FixedLengthSGD(ps, lr=0.1),
    "polyak": lambda ps: StochasticPolyak(ps, steps_per_epoch=4),
    "mirror": lambda ps: LpMirrorDescent(ps, lr=5e-2, exponent=1.1),
}
SCHEDULE = {
    "epochs": 3, "batch_size": 32, "seed": 5, "checkpoint_every": 3, "checkpoint_share": 1.0, "snapshots": (0, 2, 3),
}  # fmt: skip


def digits(train=100, test=60):
    pixels, labels = load_digits(return_X_y=True)
    images = (pixels / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    cut = train + test
    return {
        "train": Split(images[:train], labels[:train]),
        "test": Split(images[train:cut], labels[train:cut].astype(np.uint8)),
    }


def small_vit():
    return ViT(patch=4, dim=8, depth=1, heads=2, mlp=16, dropout=0.1).build((1, 8, 8), 10)


def vit_partly_in_eval_mode():
    """As libraries hand out networks that they load."""
    model = small_vit()
    model.dropout.eval()
    return model


def add_noise(images, labels):
    return images + 0.1 * torch.randn_like(images), labels


def observe(model):
    return {"key_query": model.key_query().numpy(), "training": np.array(model.training)}


def training(optimizer="adam", build=small_vit, data=None, report=lambda line: None, **schedule):
    model = build_seeded(1, build)
    parts = {"augment": add_noise, "observe": observe, "report": report}
    numbers = Schedule(**SCHEDULE | schedule)
    return TrainingLoop(model, OPTIMIZERS[optimizer](model.parameters()), data or digits(), numbers, **parts)


def assert_same_bits(first, second):
    """Equal arrays, bit for bit."""
    assert first.keys() == second.keys()
    for name, array in first.items():
        assert array.dtype == second[name].dtype, name
        assert array.tobytes() == second[name].tobytes(), name


def outcome(done, record):
    return read_weights(done.model) | record.to_arrays()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_loop_matches_handwritten_loop(optimizer):
    run = training(optimizer)
    run.augment, data = None, digits()
    images, labels = (torch.as_tensor(a) for a in data["train"])
    model = build_seeded(1, small_vit)
    rule = OPTIMIZERS[optimizer](model.parameters())
    losses = []
    for epoch in range(3):
        order = sample_order(5, epoch, 100)
        assert sorted(order.tolist()) == list(range(100))
        for i, batch in enumerate(order.split(32)):
            seed_step(5, epoch, i, "cpu")
            rule.zero_grad()
            loss = torch.nn.functional.cross_entropy(model.train()(images[batch]), labels[batch])
            loss.backward()
            rule.step(lambda loss=loss: loss)
            losses.append(loss.item())
    record = run.run()
    assert_same_bits(read_weights(run.model), read_weights(model))
    assert record.loss.tolist() == losses
    test_images, test_labels = (torch.as_tensor(a) for a in (data["test"].inputs, data["test"].labels.astype(np.int64)))
    logits = model.eval()(test_images)
    loss = torch.nn.functional.cross_entropy(logits, test_labels).item()
    np.testing.assert_allclose(record.test_loss[3], loss, rtol=1e-5)
    np.testing.assert_allclose(record.test_accuracy[3], (logits.argmax(1) == test_labels).double().mean().item())


def test_record_has_every_epoch_and_network_at_snapshots():
    record = training(snapshots=(0, 1)).run()
    sizes = [32, 32, 32, 4]
    expected = [np.nan, *(np.dot(epoch, sizes) / 100 for epoch in record.loss.reshape(3, 4))]
    np.testing.assert_allclose(record.train_loss, expected)
    for name in ("test_loss", "test_accuracy"):
        assert np.isnan(getattr(record, name)).tolist() == [False, False, True, True]
    assert [a.shape for a in record.snapshots["key_query"]] == [(2, 8, 8)] * 2
    assert not np.any(record.snapshots["training"])
    assert not np.array_equal(*record.snapshots["key_query"])
    assert_same_bits(Record.from_arrays(record.to_arrays()).to_arrays(), record.to_arrays())


def test_training_depends_only_on_seed_and_keeps_generators():
    torch.manual_seed(0)
    state = torch.get_rng_state()
    runs = [training(seed=seed) for seed in (5, 5, 6)]
    first, again, other = (outcome(run, run.run()) for run in runs)
    assert torch.equal(torch.get_rng_state(), state)
    assert_same_bits(first, again)
    assert not np.array_equal(first["loss"], other["loss"])


def test_epochs_and_seeds_have_different_orders():
    orders = {tuple(sample_order(seed, epoch, 50).tolist()) for seed in range(4) for epoch in range(5)}
    assert len(orders) == 20


# Steps between which an epoch ends are 4 and 8.
STOPS = [
    *((name, 8, {}) for name in OPTIMIZERS),
    *(("adam", stop, {}) for stop in (4, 11)),
    *((name, stop, {"decay": "cosine"}) for name, stop in (("adam", 4), ("mirror", 7))),
    ("adam", 8, {"build": vit_partly_in_eval_mode}),
    # A pass through the data has four steps, and goes on over the ends of epochs.
    ("sgd", 7, {"epochs": 4, "epoch_steps": 3, "shuffled": False}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("optimizer", "stop", "settings"), STOPS)
def test_stopped_training_resumes_to_same_bits(tmp_path, optimizer, stop, settings):
    """With a checkpoint every three steps, which may be of the epoch before."""
    file = tmp_path / "checkpoint.npz"
    whole = training(optimizer, **settings)
    expected = outcome(whole, whole.run())
    with stopped_before(stop):
        training(optimizer, **settings).run(file)
    # The second one finds that of the last step.
    for saved in (stop // 3 * 3, 12):
        lines = []
        again = training(optimizer, report=lines.append, **settings)
        assert_same_bits(outcome(again, again.run(file)), expected)
        assert lines[0] == f"resuming after step {saved} of 12"


@pytest.mark.parametrize("optimizer", ["adam", "mirror"])
def test_cosine_decay_equals_that_of_torch(monkeypatch, optimizer):
    rates, step = [], TrainingLoop._step
    run = training(optimizer, epochs=7, snapshots=(), decay="cosine")

    def note(self, *given):
        rates.append(self.optimizer.param_groups[0]["lr"])
        step(self, *given)

    monkeypatch.setattr(TrainingLoop, "_step", note)
    run.run()
    rule = OPTIMIZERS[optimizer](build_seeded(1, small_vit).parameters())
    schedule, expected = torch.optim.lr_scheduler.CosineAnnealingLR(rule, T_max=7), []
    for _ in range(7):
        expected += schedule.get_last_lr() * 4
        rule.step()
        schedule.step()
    np.testing.assert_allclose(rates, expected, rtol=1e-12)
    assert rates[0] == expected[0]


def test_time_of_steps_is_summed_over_restarts_without_evaluation(tmp_path, monkeypatch):
    """With a clock that counts a second for every step, and a hundred for every evaluation and checkpoint."""
    file, clock = tmp_path / "checkpoint.npz", [0]

    def count(seconds, owner, name):
        function = getattr(owner, name)

        def timed(*given):
            clock[0] += seconds
            return function(*given)

        monkeypatch.setattr(owner, name, timed)

    monkeypatch.setattr(loop.time, "process_time", lambda: clock[0])
    count(1, TrainingLoop, "_step")
    count(100, TrainingLoop, "_evaluate")
    count(100, loop, "save_checkpoint")
    with stopped_before(7):
        training(timed=True).run(file)
    timed, untimed = training(timed=True), training()
    assert timed.run(file).cpu_seconds.tolist() == [4, 4, 4]
    assert not len(untimed.run().cpu_seconds)
    assert_same_bits(read_weights(timed.model), read_weights(untimed.model))


@pytest.mark.slow
def test_training_stops_at_target_accuracy(tmp_path):
    file, lines = tmp_path / "checkpoint.npz", []
    whole = training(epochs=20, snapshots=(0, 20))
    accuracies = whole.run().train_accuracy[1:]
    level = np.sort(accuracies)[10]
    first = 1 + int((accuracies >= level).argmax())
    assert 1 < first < 20
    schedule = {"epochs": 20, "snapshots": (0, 20), "stop_accuracy": level}
    early = training(**schedule)
    record = early.run(file)
    # Evaluated and observed there, and as a training of so many epochs would be.
    assert np.flatnonzero(~np.isnan(record.train_loss)).tolist() == [*range(1, first + 1)]
    assert np.flatnonzero(~np.isnan(record.test_loss)).tolist() == [0, first]
    assert len(record.snapshots["key_query"]) == 2
    shorter = training(epochs=first, snapshots=())
    shorter.run()
    assert_same_bits(read_weights(early.model), read_weights(shorter.model))
    # A finished one is not gone on with.
    again = training(report=lines.append, **schedule)
    assert_same_bits(outcome(again, again.run(file)), outcome(early, record))
    assert lines == [f"resuming after step {4 * first} of 80"]


@pytest.mark.parametrize(("share", "saved"), [(1.0, [5, 10, 12]), (1e-9, [5, 12])])
def test_checkpoints_take_limited_share_of_time_and_include_the_last_step(tmp_path, monkeypatch, share, saved):
    save, steps = loop.save_checkpoint, []
    monkeypatch.setattr(loop, "save_checkpoint", lambda *parts: (steps.append(parts[2]), save(*parts)))
    training(checkpoint_every=5, checkpoint_share=share).run(tmp_path / "checkpoint.npz")
    assert steps == saved


def brighten(data):
    data["train"].inputs[0, 0, 0, 0] += 1
    return data


@pytest.mark.parametrize(
    ("settings", "key", "change"),
    [
        ({"seed": 6}, "code", None),
        ({"epochs": 2}, "code", None),
        ({"optimizer": "sgd"}, "code", None),
        ({"data": brighten(digits())}, "code", None),
        ({}, "other", None),
        ({}, "code", lambda run: run.optimizer.param_groups[0].update(lr=2e-2)),
        ({}, "code", lambda run: run.model.head.bias.data.add_(1e-6)),
    ],
    ids=["seed", "epochs", "optimizer", "data", "key", "rate", "weights"],
)
def test_checkpoint_of_other_training_is_ignored(tmp_path, settings, key, change):
    file, lines = tmp_path / "checkpoint.npz", []
    training(epochs=1, snapshots=()).run(file, key="code")
    other = training(report=lines.append, **{"epochs": 1, "snapshots": ()} | settings)
    if change:
        change(other)
    record = other.run(file, key=key)
    assert not lines[0].startswith("resuming")
    assert np.isfinite(record.loss).all()


def test_damaged_checkpoint_is_refused_with_name(tmp_path):
    file = tmp_path / "checkpoint.npz"
    training().run(file)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(store.DamagedFile, match=r"checkpoint\.npz"):
        training().run(file)


def train_to_the_end(file, pipe):
    """In a process of its own, which may be killed."""
    use_deterministic_algorithms()
    run = training("adam", epochs=16, checkpoint_every=1, report=pipe.send)
    result = outcome(run, run.run(file))
    store.save_arrays(file.with_name("result.npz"), result)


@pytest.mark.slow
def test_training_killed_at_random_times_gives_same_weights(tmp_path):
    file, rng = tmp_path / "checkpoint.npz", random.Random(4)
    whole, began = training("adam", epochs=16, checkpoint_every=1), time.monotonic()
    record = whole.run()
    duration = time.monotonic() - began
    killed, went_on, cut = 0, 0, set()
    while not (tmp_path / "result.npz").exists():
        receiver, sender = SERVER.Pipe(duplex=False)
        process = SERVER.Process(target=train_to_the_end, args=(file, sender))
        process.start()
        sender.close()
        first = receiver.recv()
        went_on += first.startswith("resuming")
        cut.add(first)
        if killed < 6:
            # After one or two epochs, however long they take: an epoch's last step is saved after its line. Then within
            # about a step.
            with suppress(EOFError):
                for _ in range(rng.randint(1, 2)):
                    receiver.recv()
            time.sleep(rng.uniform(0, duration / 64))
            if process.is_alive():
                process.kill()
                killed += 1
        process.join()
        receiver.close()
    assert_same_bits(store.load_arrays(tmp_path / "result.npz"), outcome(whole, record))
    assert killed >= 5
    assert went_on >= 3
    assert len(cut) >= 3, cut
    assert {f.name for f in tmp_path.iterdir()} <= {"checkpoint.npz", "result.npz"}


@pytest.mark.slow
def test_compiled_network_trains_equally(monkeypatch):
    used, compiler = [], torch.compile

    def record_call(model, dynamic):
        used.append((model, dynamic))
        return compiler(model, backend="eager", dynamic=dynamic)

    monkeypatch.setattr(torch, "compile", record_call)
    plain, compiled = training(), training(compiled=True)
    assert_same_bits(outcome(compiled, compiled.run()), outcome(plain, plain.run()))
    # Kernels for any size of a batch would depend on the sizes before, which a resumed training lacks.
    assert used == [(compiled.model, False)]


def test_mixed_precision_rounds_activations_and_not_weights(monkeypatch):
    monkeypatch.setattr(loop, "check_feasibility", lambda *arguments: None)
    single, mixed = training(), training(precision="bfloat16")
    first, second = single.run().loss, mixed.run().loss
    assert not np.array_equal(first, second)
    np.testing.assert_allclose(first[:4], second[:4], rtol=0.02)
    assert {w.dtype for w in read_weights(mixed.model).values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize("step", [0, 5])
def test_nonfinite_loss_stops_training_and_is_not_kept(tmp_path, step):
    run, calls = training(), []

    def broken(logits, labels):
        loss = torch.nn.functional.cross_entropy(logits, labels)
        calls.append(logits.requires_grad)
        return loss * float("nan") if calls[-1] and sum(calls) == step + 1 else loss

    run.loss, file = broken, tmp_path / "checkpoint.npz"
    with pytest.raises(FloatingPointError, match=f"in epoch {step // 4 + 1}, step {step % 4 + 1} of 4"):
        run.run(file)
    assert not file.exists() or store.load_arrays(file)["step"] <= step


def test_progress_shows_remaining_time():
    lines = []
    training(report=lines.append).run()
    assert lines[0].startswith("epoch 0 of 3: test loss 2.")
    assert lines[0].endswith("; 0:00:00")
    assert lines[-1].endswith(", 0:00:00 left")


def test_remaining_time_counts_future_steps(monkeypatch):
    now, lines = [100.0], []
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    job = progress.Progress(lines.append, 10, 100)
    now[0] += 29
    job.tick(20)
    now[0] += 11
    job.tick(20)
    job.tick(21)
    now[0] += 3560
    job.say("end of an epoch", 100)
    assert lines == ["step 20 of 100; 0:00:40, 0:05:20 left", "end of an epoch; 1:00:00, 0:00:00 left"]


def test_mismatched_data_are_refused_before_training():
    data, tall = digits(), Split(np.zeros((40, 1, 9, 8), np.float32), np.zeros(40, int))
    images, labels = data["test"]
    for wrong, says in (
        ({"data": digits(train=20)}, "batch_size: 32 is more than the 20 samples"),
        ({"data": data | {"train": tall}}, r"train: need .* \(n, 1, 8, 8\) and \(n, ...\), got \(40, 1, 9, 8\)"),
        ({"data": data | {"test": Split(images, labels[:-1])}}, r"test: need inputs and labels of shapes .* \(59,\)"),
        ({"data": data | {"test": Split(images, labels + 1)}}, "test: labels must be from 0 to 9, got 1 to 10"),
        (
            {"data": data | {"test": Split(images.astype(np.uint8), labels)}},
            "test: need inputs in single .*, got uint8",
        ),
        ({"precision": "bfloat16"}, "bfloat16 needs device cuda, got cpu"),
    ):
        lines = []
        run = training(report=lines.append, **wrong)
        before = read_weights(run.model)["head.weight"].copy()
        with pytest.raises(ValueError, match=says):
            run.run()
        assert lines == []
        assert np.array_equal(read_weights(run.model)["head.weight"], before)


def test_step_exceeding_memory_is_refused(monkeypatch):
    run = training()
    held = sum(split.inputs.nbytes for split in digits().values())
    need = held + splits.step_memory(run.model, torch.zeros(1, 1, 8, 8), 32)
    monkeypatch.setattr(splits, "total_memory", lambda device: need - 1)
    with pytest.raises(ValueError, match=r"batch_size: training needs .* GiB or more"):
        run.run()
    monkeypatch.setattr(splits, "total_memory", lambda device: need)
    run.run()


def test_step_memory_counts_weights_gradients_and_activations():
    """One linear layer: weights twice, and the input of every image."""
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 3))
    image, weights = torch.zeros(1, 1, 8, 8, requires_grad=True), 4 * (64 * 3 + 3)
    assert splits.step_memory(model, image, 10) == 2 * weights + 10 * 4 * 64
    assert splits.step_memory(model, image, 10, half=True) == 2 * weights + 10 * 2 * 64
    assert splits.total_memory("cpu") > 2**28


OTHER_NETWORKS = [SmallDataViT(patch=4, dim=8, depth=1, heads=2, head_dim=4, mlp=16), PatchAttention(patch=2, dim=16)]


@pytest.mark.parametrize("network", OTHER_NETWORKS, ids=lambda one: one.kind)
def test_other_networks_learn_digits(network):
    run = training(build=lambda: network.build((1, 8, 8), 10), data=digits(600, 100), epochs=6, snapshots=(0, 6))
    run.augment = None
    record = run.run()
    assert record.test_accuracy[-1] > 0.5
    assert record.test_accuracy[0] < 0.25
