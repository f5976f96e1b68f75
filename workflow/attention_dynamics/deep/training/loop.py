"""The loop that trains a network and goes on where it was killed."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer

from attention_dynamics.deep_training import checkpoint, randomness
from attention_dynamics.deep_training.evaluation import counted, evaluate, right_answers
from attention_dynamics.deep_training.fitting import Split, check
from attention_dynamics.deep_training.plan import Plan
from attention_dynamics.deep_training.record import Arrays, Record
from attention_dynamics.progress import Progress, log


class Diverged(FloatingPointError):
    """A loss is not finite. record: of the epochs before."""

    def __init__(self, what: str, record: Record) -> None:
        super().__init__(what)
        self.record = record


@dataclass
class Training:
    """A training of a network.

    model: trained in place; see ``fitting.check``. optimizer: of its parameters; its ``step`` gets a closure that
        returns the loss of the batch, whose backward pass has been run. data: with the split "train".
    loss: (logits, labels) -> mean over the labels of a batch, not counting those that are ``evaluation.IGNORED``.
    augment: (inputs, labels) of a batch -> the same, changed; draws from torch's generators.
    observe: called in eval mode at the epochs of ``plan.snapshots``; the arrays that it returns are recorded.
    report: gets lines of progress, with the time left.
    """

    model: nn.Module
    optimizer: Optimizer
    data: Mapping[str, Split]
    plan: Plan
    device: str = "cpu"
    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy
    augment: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None
    observe: Callable[[nn.Module], Arrays] | None = None
    report: Callable[[str], None] = log

    def run(self, checkpoint_file: Path | None = None, key: str = "") -> Record:
        """Train, or go on training; returns the record.

        checkpoint_file: written every ``plan.checkpoint_every`` steps and after the last. A run of an equal training
            goes on from it, to the same bits on the CPU with one thread (``training.reproducible``); whoever has stored
            the result removes it. The checkpoint of a different training is passed over.
        key: tells apart trainings that differ in what cannot be compared, such as the code of the callbacks.
        Global generators are left as they were. Raises ValueError before training for what cannot fit
        (``fitting.check``), store.DamagedFile for a damaged checkpoint, and Diverged, naming epoch and step, when a
        loss is not finite.
        """
        with torch.random.fork_rng(devices=[self.device] if self._type == "cuda" else []):
            check(self.model, self.data, self.plan, self.device)
            return self._run(checkpoint_file, f"{self.device} {key}")

    @property
    def _type(self) -> str:
        return torch.device(self.device).type

    def _run(self, file: Path | None, key: str) -> Record:
        arrays = {f"{name}/{k}": array for name, split in self.data.items() for k, array in split._asdict().items()}
        samples = len(self.data["train"].inputs)
        self._per_pass, self._per_epoch = self.plan.steps_per_pass(samples), self.plan.steps_per_epoch(samples)
        self._total = self.plan.epochs * self._per_epoch
        self._record, start = Record.empty(self._total), 0
        self.model.to(self.device)
        if file is not None:
            identity = checkpoint.identity(self.model, self.optimizer, self.plan, arrays, key)
            if found := checkpoint.load(file, identity, self.model, self.optimizer):
                start, self._record = found
                self.report(f"going on after step {start} of {self._total}")
        self._ended = self.plan.stops(self._record.batch_accuracy)
        self._tensors = {name: self._moved(split) for name, split in self.data.items()}
        self._forward = torch.compile(self.model) if self.plan.compiled else self.model
        # Kept on the device and fetched now and then, so that no step waits for its numbers.
        self._recent = torch.empty(2, self._total, device=self.device)
        self._fetched, self._progress = start, Progress(self.report, start, self._total)
        if start == 0:
            self._conclude(0, 0)
        # Every layer, also one that was left in eval mode when all were built; a step looks at the whole only.
        self.model.train()
        next_save = 0.0
        for step in range(start, self._total):
            if self._ended:
                break
            number, i = divmod(step, self._per_pass)
            if i == 0 or step == start:
                order = (
                    randomness.order(self.plan.seed, number, samples) if self.plan.shuffled else torch.arange(samples)
                )
                order = order.to(self.device)
            randomness.before_step(self.plan.seed, number, i, self._type)
            self._step(step, order[i * self.plan.batch_size : (i + 1) * self.plan.batch_size])
            done = step + 1
            self._progress.tick(done)
            if done % self._per_epoch == 0:
                self._conclude(done // self._per_epoch, done)
            last = self._ended or done == self._total
            if file is not None and (done % self.plan.checkpoint_every == 0 or last):
                self._fetch(done)
                if time.monotonic() >= next_save or last:
                    began = time.monotonic()
                    checkpoint.save(file, identity, done, self.model, self.optimizer, self._record)
                    ended = time.monotonic()
                    next_save = ended + (ended - began) * (1 / self.plan.checkpoint_share - 1)
        return self._record

    def _step(self, step: int, batch: Tensor) -> None:
        inputs, labels = (tensor[batch] for tensor in self._tensors["train"])
        if self.augment:
            inputs, labels = self.augment(inputs, labels)
        if not self.model.training:
            self.model.train()
        self.optimizer.zero_grad()
        with self._autocast():
            logits = self._forward(inputs)
            loss = self.loss(logits, labels)
        loss.backward()
        self.optimizer.step(lambda: loss)
        self._recent[0, step] = loss.detach()
        self._recent[1, step] = right_answers(logits, labels) / counted(labels).clamp(min=1)

    def _moved(self, split: Split) -> tuple[Tensor, Tensor]:
        return torch.as_tensor(split.inputs).to(self.device), torch.as_tensor(split.labels).long().to(self.device)

    def _autocast(self) -> AbstractContextManager:
        return torch.autocast(self._type, torch.bfloat16, enabled=self.plan.precision == "bfloat16")

    def _fetch(self, done: int) -> None:
        """Move what the last steps left on the device into the record, and look at it."""
        part = slice(self._fetched, done)
        self._record.loss[part], self._record.accuracy[part] = self._recent[:, part].double().cpu().numpy()
        if len(bad := np.flatnonzero(~np.isfinite(self._record.loss[part]))):
            epoch, i = divmod(self._fetched + int(bad[0]), self._per_epoch)
            what = f"the loss is not finite in epoch {epoch + 1}, step {i + 1} of {self._per_epoch}"
            raise Diverged(what, self._record)
        self._fetched = done

    def _conclude(self, epoch: int, done: int) -> None:
        """Record what belongs to the end of an epoch, 0 before the first."""
        self._fetch(done)
        rows = []
        if epoch:
            steps = np.arange(done - self._per_epoch, done)
            last = len(self.data["train"].inputs) - (self._per_pass - 1) * self.plan.batch_size
            sizes = np.where(steps % self._per_pass == self._per_pass - 1, last, self.plan.batch_size)
            values = (self._record.loss[steps], self._record.accuracy[steps])
            rows.append((epoch, "batches", *(float(np.average(value, weights=sizes)) for value in values)))
            self._ended = self.plan.stops(rows[0][3])
        if self._ended or self.plan.evaluates(epoch):
            rows += [(epoch, split, *self._evaluate(split, epoch)) for split in self.plan.evaluated]
        self._record.rows += rows
        if self.observe and (self._ended or epoch in self.plan.snapshots):
            self.model.eval()
            self._record.take(epoch, self.observe(self.model))
        shown = "; ".join(f"{split} loss {loss:.4f}, accuracy {accuracy:.3f}" for _, split, loss, accuracy in rows)
        self._progress.say(f"epoch {epoch} of {self.plan.epochs}: {shown}", done)

    def _evaluate(self, split: str, epoch: int) -> tuple[float, float]:
        self.model.eval()
        with self._autocast():
            loss, accuracy = evaluate(self._forward, *self._tensors[split], self.plan.batch_size, self.loss)
        if not np.isfinite(loss):
            what = f"the loss on {split} is not finite after epoch {epoch}, step {self._per_epoch}"
            raise Diverged(what, self._record)
        return loss, accuracy
