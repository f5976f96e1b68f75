"""The training loop of a network.

Its random numbers are functions of the seed, the pass through the data and the step in this pass, not of earlier draws.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from attention_dynamics.deep.trainer.record import Arrays, Record, identify, load_checkpoint, save_checkpoint
from attention_dynamics.deep.trainer.schedule import Schedule
from attention_dynamics.deep.trainer.splits import Split, check_feasibility, count_correct, count_labels, evaluate
from attention_dynamics.progress import Progress, log

M = TypeVar("M", bound=nn.Module)


def use_deterministic_algorithms(device: str = "cpu") -> None:
    """Use one thread, and deterministic kernels off the CPU.

    Raises ValueError for a device that torch does not find.
    """
    torch.set_num_threads(1)
    # On the CPU, one thread is enough for bit-identical results. torch is not asked for deterministic kernels there,
    # because that imports modules, which takes a second.
    if device != "cpu":
        if not torch.cuda.is_available():
            raise ValueError(f"device: torch {torch.__version__} finds no {device} on this machine")
        torch.use_deterministic_algorithms(True)


def build_seeded(seed: int, build: Callable[[], M]) -> M:
    """Return the network that ``build`` returns when torch's generator starts from the seed.

    The generator is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def sample_order(seed: int, epoch: int, samples: int) -> Tensor:
    """Return a permutation, (samples,): the order of the samples in a pass. epoch: the number of the pass."""
    return torch.randperm(samples, generator=torch.Generator().manual_seed(_derive_seed(seed, epoch, 0)))


def seed_step(seed: int, epoch: int, step: int, device: str) -> None:
    """Seed torch's generators, at least the CPU's and the device's, for what a step draws: dropout and augmentation.

    epoch: number of the pass through the data. step: number of the step in it.
    """
    number = _derive_seed(seed, epoch, 1 + step)
    if device == "cpu":
        # Seeding all generators stores stack traces for missing GPUs, which takes a tenth of a small network's step.
        torch.default_generator.manual_seed(number)
    else:
        torch.manual_seed(number)


def _derive_seed(*words: int) -> int:
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])


class DivergenceError(FloatingPointError):
    """Error for a loss that is not finite. record: the record of the training until then."""

    def __init__(self, message: str, record: Record) -> None:
        super().__init__(message)
        self.record = record


@dataclass
class TrainingLoop:
    """Loop that trains one network with one seed, and resumes from checkpoints.

    model: trained in place; see ``check_feasibility``. optimizer: of the model's parameters; its ``step`` gets a
        closure that returns the loss of the batch, after the backward pass. data: the splits "train" and "test".
    loss: maps logits and labels of a batch to the mean over the labels that are not ``IGNORE_INDEX``.
    augment: maps inputs and labels of a batch to random variants, drawn from torch's generators.
    observe: called in eval mode after every evaluation: at the epochs of ``schedule.snapshots``, and when training
        stops early; the arrays that it returns are recorded.
    report: called with each line about progress and the time left.
    """

    model: nn.Module
    optimizer: Optimizer
    data: Mapping[str, Split]
    schedule: Schedule
    device: str = "cpu"
    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy
    augment: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None
    observe: Callable[[nn.Module], Arrays] | None = None
    report: Callable[[str], None] = log

    def run(self, checkpoint_file: Path | None = None, key: str = "") -> Record:
        """Train to the end, resuming from a checkpoint if there is one, and return the record.

        checkpoint_file: written at most every ``schedule.checkpoint_every`` steps, and after the last. An equal run
            resumes from it, bit-identically on a device of the same kind after ``use_deterministic_algorithms``. The
            caller removes it after storing the result. The checkpoint of a different run is ignored.
        key: text that distinguishes runs that differ only in what ``identify`` cannot see, such as the callbacks' code.
        Global generators are left as they were.
        Raises ValueError before training if the arguments do not fit together (``check_feasibility``).
        Raises store.DamagedFile for a damaged checkpoint.
        Raises DivergenceError, naming epoch and step, when a loss is not finite.
        """
        with torch.random.fork_rng(devices=[] if self.device == "cpu" else [self.device]):
            check_feasibility(self.model, self.data, self.schedule, self.device)
            return self._run(checkpoint_file, f"{self.device} {key}")

    def _run(self, file: Path | None, key: str) -> Record:
        arrays = {f"{name}/{k}": array for name, split in self.data.items() for k, array in split._asdict().items()}
        samples = len(self.data["train"].inputs)
        self._per_pass, self._per_epoch = self.schedule.steps_per_pass(samples), self.schedule.steps_per_epoch(samples)
        self._total = self.schedule.epochs * self._per_epoch
        self._record, start = Record.empty(self._total, self.schedule.epochs, self.schedule.timed), 0
        # Read now, because loading a checkpoint sets the decayed rates of its epoch.
        self._rates = [group["lr"] for group in self.optimizer.param_groups] if self.schedule.decay != "none" else []
        self.model.to(self.device)
        if file is not None:
            identity = identify(self.model, self.optimizer, self.schedule, arrays, key)
            if found := load_checkpoint(file, identity, self.model, self.optimizer):
                start, self._record = found
                self.report(f"resuming after step {start} of {self._total}")
        self._ended = self.schedule.should_stop(self._record.train_accuracy[start // self._per_epoch])
        self._tensors = {name: self._to_device(split) for name, split in self.data.items()}
        # With dynamic shapes, a kernel could depend on earlier batches, which a resumed run has not seen.
        self._forward = torch.compile(self.model, dynamic=False) if self.schedule.compiled else self.model
        # Losses and accuracies stay on the device and are fetched now and then, so that no step has to wait for them.
        self._recent = torch.empty(2, self._total, device=self.device)
        self._fetched, self._progress = start, Progress(self.report, start, self._total)
        if start == 0:
            self._on_epoch_end(0, 0)
        # This switches every layer, even one that was built in eval mode; steps check only the whole network's mode.
        self.model.train()
        next_save, self._clock = 0.0, time.process_time()
        for step in range(start, self._total):
            if self._ended:
                break
            number, i = divmod(step, self._per_pass)
            if step % self._per_epoch == 0 or step == start:
                self._set_rates(step // self._per_epoch)
            if i == 0 or step == start:
                order = torch.arange(samples)
                if self.schedule.shuffled:
                    order = sample_order(self.schedule.seed, number, samples)
                order = order.to(self.device)
            seed_step(self.schedule.seed, number, i, self.device)
            self._step(step, order[i * self.schedule.batch_size : (i + 1) * self.schedule.batch_size])
            done = step + 1
            self._progress.tick(done)
            if done % self._per_epoch == 0:
                self._count_time(step)
                self._on_epoch_end(done // self._per_epoch, done)
                self._clock = time.process_time()
            last = self._ended or done == self._total
            if file is not None and (done % self.schedule.checkpoint_every == 0 or last):
                self._fetch(done)
                self._count_time(step)
                if time.monotonic() >= next_save or last:
                    began = time.monotonic()
                    save_checkpoint(file, identity, done, self.model, self.optimizer, self._record)
                    ended = time.monotonic()
                    next_save = ended + (ended - began) * (1 / self.schedule.checkpoint_share - 1)
                self._clock = time.process_time()
        return self._record

    def _set_rates(self, epoch: int) -> None:
        """Set the learning rates of an epoch, counted from 0. Rates that do not decay are left as they are."""
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=False):
            group["lr"] = rate * self.schedule.learning_rate_factor(epoch)

    def _count_time(self, step: int) -> None:
        """Add the CPU time since ``_clock`` to the epoch of ``step``, the last step taken."""
        if self.schedule.timed:
            now = time.process_time()
            self._record.cpu_seconds[step // self._per_epoch] += now - self._clock
            self._clock = now

    def _step(self, step: int, batch: Tensor) -> None:
        inputs, labels = (tensor[batch] for tensor in self._tensors["train"])
        if self.augment:
            inputs, labels = self.augment(inputs, labels)
        if not self.model.training:
            self.model.train()
        self.optimizer.zero_grad()
        with self._autocast():
            logits = self._forward(inputs)
            loss: Any = self.loss(logits, labels)
        loss.backward()
        self.optimizer.step(lambda: loss)
        self._recent[0, step] = loss.detach()
        self._recent[1, step] = count_correct(logits, labels) / count_labels(labels).clamp(min=1)

    def _to_device(self, split: Split) -> tuple[Tensor, Tensor]:
        return torch.as_tensor(split.inputs).to(self.device), torch.as_tensor(split.labels).long().to(self.device)

    def _autocast(self) -> AbstractContextManager[Any]:
        return torch.autocast(self.device, torch.bfloat16, enabled=self.schedule.precision == "bfloat16")

    def _fetch(self, done: int) -> None:
        """Copy losses and accuracies from the device to the record; raise DivergenceError if a loss is not finite."""
        part = slice(self._fetched, done)
        self._record.loss[part], self._record.accuracy[part] = self._recent[:, part].double().cpu().numpy()
        if len(bad := np.flatnonzero(~np.isfinite(self._record.loss[part]))):
            epoch, i = divmod(self._fetched + int(bad[0]), self._per_epoch)
            message = f"the loss is not finite in epoch {epoch + 1}, step {i + 1} of {self._per_epoch}"
            raise DivergenceError(message, self._record)
        self._fetched = done

    def _on_epoch_end(self, epoch: int, done: int) -> None:
        """Evaluate, observe and report at the end of an epoch; epoch 0 is before training."""
        self._fetch(done)
        record = self._record
        results: dict[str, tuple[float, float]] = {}
        if epoch:
            steps = np.arange(done - self._per_epoch, done)
            last = len(self.data["train"].inputs) - (self._per_pass - 1) * self.schedule.batch_size
            sizes = np.where(steps % self._per_pass == self._per_pass - 1, last, self.schedule.batch_size)
            loss, accuracy = (np.average(values[steps], weights=sizes) for values in (record.loss, record.accuracy))
            results["batches"] = loss, accuracy
            self._ended = self.schedule.should_stop(accuracy)
        if self._ended or epoch in self.schedule.snapshots:
            self.model.eval()
            results["test"] = self._evaluate(epoch)
            record.test_loss[epoch], record.test_accuracy[epoch] = results["test"]
            record.add_snapshot(self.observe(self.model) if self.observe else {})
        if epoch:
            # Stored last, because an epoch counts only if the loss after it is finite.
            record.train_loss[epoch], record.train_accuracy[epoch] = results["batches"]
        parts = (f"{name} loss {loss:.4f}, accuracy {accuracy:.3f}" for name, (loss, accuracy) in results.items())
        self._progress.say(f"epoch {epoch} of {self.schedule.epochs}: {'; '.join(parts)}", done)

    def _evaluate(self, epoch: int) -> tuple[float, float]:
        with self._autocast():
            loss, accuracy = evaluate(self._forward, *self._tensors["test"], self.schedule.batch_size, self.loss)
        if not np.isfinite(loss):
            message = f"the loss on test is not finite after epoch {epoch}, step {self._per_epoch}"
            raise DivergenceError(message, self._record)
        return loss, accuracy
