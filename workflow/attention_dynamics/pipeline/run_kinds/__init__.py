"""What a run's block may say: one class for every kind of run, a module in ``trainers``."""

from attention_dynamics.pipeline.run_kinds.attention import (
    GradientDescent,
    LpRegularizationPath,
    RegularizationPath,
    SpanDescent,
)
from attention_dynamics.pipeline.run_kinds.deep import (
    ImageTraining,
    LanguageModelling,
    MaskedLanguageModelling,
    PublishedWeights,
    TextClassification,
)
from attention_dynamics.pipeline.run_kinds.sequences import Growth, SequenceTraining
from attention_dynamics.pipeline.unions import any_of

KINDS = {
    "gradient_descent": GradientDescent,
    "growth": Growth,
    "image_training": ImageTraining,
    "language_modelling": LanguageModelling,
    "lp_regularization_path": LpRegularizationPath,
    "masked_language_modelling": MaskedLanguageModelling,
    "published_weights": PublishedWeights,
    "regularization_path": RegularizationPath,
    "sequence_training": SequenceTraining,
    "span_descent": SpanDescent,
    "text_classification": TextClassification,
}
AnyRun = any_of(KINDS, "kind")
