"""Pre-training: networks that predict masked pieces of texts."""

from functools import partial
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray
from pydantic import model_validator

from attention_dynamics.deep.trainings.deep_training import EpochTraining
from attention_dynamics.deep.trainings.pretraining import Pretraining
from attention_dynamics.training import NO_CONTEXT, JobContext

if TYPE_CHECKING:
    from attention_dynamics.deep.problems.encoded_texts import EncodedTexts

TEST_SEED = 0


class MaskedLanguageModelling(EpochTraining, Pretraining, kind="masked_language_modelling"):
    """A network that predicts masked pieces of texts. ``TextClassification`` can load its weights."""

    data = "texts"
    network_data = "masked texts"
    vocabularies = ("pieces", "bert-base-uncased")

    @model_validator(mode="after")
    def _check_single(self) -> Self:
        if self.columns(None) > 1:
            raise ValueError("seeds: needs one seed, and no grid, because other runs load the weights of this training")
        return self

    def train(self, problem: "EncodedTexts", context: JobContext = NO_CONTEXT) -> dict[str, NDArray[Any]]:
        """Return the trajectory of ``train_grid``, and "weights/<name>" of the encoder.

        Classes are not used. Losses and accuracies are over the masked pieces, those of an epoch means of its
        batches. Training texts are masked anew in every epoch, test texts once.
        """
        import torch

        from attention_dynamics.deep.language.encoder_weights import read_encoder_weights
        from attention_dynamics.deep.language.masking import Masking
        from attention_dynamics.deep.language.token_loss import token_loss
        from attention_dynamics.deep.training.grid import train_grid
        from attention_dynamics.deep.training.training_checks import Split

        vocabulary = problem.words.tolist()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(TEST_SEED)
            texts = torch.as_tensor(problem.test_tokens)
            masked, labels = Masking(vocabulary)(texts, texts[:, 0].long())
        train = Split(problem.train_tokens, problem.train_tokens[:, 0])
        test = Split(masked.numpy(), labels.numpy())
        return train_grid(
            self,
            context,
            {"train": train, "test": test},
            partial(self.network.build, (*train.inputs.shape[1:], len(vocabulary)), len(vocabulary)),
            loss=token_loss,
            augment=Masking(vocabulary, context.device),
            export=read_encoder_weights,
        )
