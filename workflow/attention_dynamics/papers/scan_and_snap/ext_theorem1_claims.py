"""Claims about our figure on Theorem 1: the gradient g_n that a decoder trained alone passes to attention.

g_n = gamma (iota_n f_n - sum of beta_nn' f_n' over the other classes n'). Claims compare iota and beta with
E' = I - (F'F)^-1, where F has the columns f_n. There is one problem of three classes. Each of the
6000 steps draws one class at random. Theorem 1 needs Assumption 2, which holds if ``_margin`` is positive.
"""

import numpy as np

from attention_dynamics.claims.claim import CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, Expectation, at_least, at_most, check, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest
from attention_dynamics.theory.span_dynamics import class_vectors, correlation_margin

# By step 10 every class was drawn at least once.
FIRST_STEP_AFTER_DRAWS = 10
# By this step each of the three classes has had more than ten times ln(M) / eta_Y updates.
LATE_STEP = 1000


@claim(
    statement="lemma-3; lemma-5",
    says="Row n of F'Y depends only on how often class n was drawn: largest relative distance from (M - 1) h* zeta_n",
    basis=DERIVED,
    source="Lemmas 3 and 5: the modified gradient moves row n alone, by the recursion of h*; 1e-12 is rounding",
)
def rows(decoder_alone: Run) -> Check:
    return check(largest(decoder_alone["row_error"]), at_most(1e-12))


@claim(
    says="Every class is pushed away from every other once all were drawn: smallest beta_nn' / E'_nn' from step 10 on",
    basis=DERIVED,
    source="Theorem 1 with the coefficients of its proof: beta is close to E', which is positive here, once every "
    "class was drawn; that this is so from step 10 on was chosen after seeing",
)
def pushes(decoder_alone: Run) -> Check:
    return check(
        smallest(decoder_alone["beta"].during(FIRST_STEP_AFTER_DRAWS, decoder_alone.last_step)).min(), at_least(0)
    )


@claim(
    statement="lemma-16",
    says="The diagonal of E' = I - (F'F)^-1 is not positive, so that the pull to the own class is at least one: "
    "largest E'_nn over the classes",
    basis=PAPER,
    source="Lemma 16: 'all the diagonal elements of' E' 'are non-positive'",
)
def own_correction(decoder_alone: Run) -> Check:
    return check(largest(decoder_alone["own_correction"]).max(), at_most(0))


@claim(
    statement="theorem-1-a",
    says="Smallest net push xi_n over classes and steps, and margin of Assumption 2",
    basis=DERIVED,
    source="Theorem 1 (a)",
)
def net_push(decoder_alone: Run) -> Check:
    pushes = smallest(decoder_alone["xi"].during(1, decoder_alone.last_step))
    return check([pushes.min(), _margin(decoder_alone)], Expectation("> 0", np.nextafter(0, 1), np.inf))


def _margin(run: Run) -> float:
    """Return the ``correlation_margin`` of the classes at Z = 0, which is positive if Assumption 2 holds."""
    (P,) = run.problem.probabilities
    return float(correlation_margin(class_vectors(P).T, P.shape[1]))


@claim(
    statement="theorem-1-form",
    says="Once trained, the pull to the own class is that of the proof: iota_n / (1 - E'_nn) from step 1000 on",
    basis=CHOSEN,
    source="the proof of Theorem 1 has 1 up to corrections that vanish; the tolerance is ours, chosen after "
    "seeing 0.93 to 1.04",
)
def pull(decoder_alone: Run) -> Check:
    late = decoder_alone["iota"].during(LATE_STEP, decoder_alone.last_step)
    return check([smallest(late), largest(late)], near(1, within=0.1))


@claim(
    statement="theorem-1-form",
    says="Once trained, the pushes are those of the proof up to 3/M: largest |beta_nn' - E'_nn'| M / 3 from step 1000 "
    "on, and minus the margin of Assumption 2",
    basis=DERIVED,
    source="proof of Theorem 1, where the corrections delta_2 and delta_3 are below 3/M",
)
def push_size(decoder_alone: Run) -> Check:
    late = decoder_alone["beta_gap"].during(LATE_STEP, decoder_alone.last_step)
    return check([largest(late).max(), -_margin(decoder_alone)], at_most([1, 0]))
