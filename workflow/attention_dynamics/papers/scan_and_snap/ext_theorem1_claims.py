"""Claims about our figure on Theorem 1: the gradient g_n that the decoder hands to attention, trained alone.

g_n = gamma (iota_n f_n - sum of beta_nn' f_n' over the other classes n'), with E' = I - (F'F)^-1.
"""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, PAPER, claim
from attention_dynamics.claims.expectation import Check, at_least, at_most, check, near
from attention_dynamics.run import Run
from attention_dynamics.series.statistics import largest, smallest

# By step 10 every class was drawn at least once.
FIRST_STEP_AFTER_DRAWS = 10
# Steps after which ln M / eta_Y updates of each of the five classes, and ten times more, are over.
LATE_STEP = 1000


@claim(
    "ext_theorem1",
    says="Row n of F'Y depends only on how often class n was drawn: largest relative distance from (M - 1) h* zeta_n",
    basis=DERIVED,
    source="Lemmas 3 and 5: the modified gradient moves row n alone, by the recursion of h*",
)
def rows(decoder_alone: Run) -> Check:
    return check(largest(decoder_alone["row_error"]), at_most(1e-12))


@claim(
    "ext_theorem1",
    says="The gradient is a combination of the class vectors: largest distance of g_n from the span of F, relative to "
    "its length",
    basis=DERIVED,
    source="equation 9; every column of Y is a combination of columns of F, as equation 26 adds nothing else",
)
def in_span(decoder_alone: Run) -> Check:
    return check(largest(decoder_alone["outside"].during(1, decoder_alone.last_step)), at_most(1e-12))


@claim(
    "ext_theorem1",
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
    "ext_theorem1",
    says="The diagonal of E' = I - (F'F)^-1 is not positive, so that the pull to the own class is at least one: "
    "largest E'_nn over the classes",
    basis=PAPER,
    source="Lemma 16: 'all the diagonal elements of' E' 'are non-positive'",
)
def own_correction(decoder_alone: Run) -> Check:
    return check(largest(decoder_alone["own_correction"]).max(), at_most(0))


@claim(
    "ext_theorem1",
    says="The net push xi_n is positive: smallest value over classes and steps",
    basis=DERIVED,
    source="Theorem 1 (a), proved from symmetric E with small eigenvalues",
)
def net_push(decoder_alone: Run) -> Check:
    return check(smallest(decoder_alone["xi"].during(1, decoder_alone.last_step)).min(), at_least(0))


@claim(
    "ext_theorem1",
    says="Once trained, the pull to the own class is that of the proof: iota_n / (1 - E'_nn) from step 1000 on",
    basis=CHOSEN,
    source="the proof of Theorem 1 has 1 up to corrections that vanish; the tolerance is ours, chosen after "
    "seeing 0.93 to 1.04",
)
def pull(decoder_alone: Run) -> Check:
    late = decoder_alone["iota"].during(LATE_STEP, decoder_alone.last_step)
    return check([smallest(late), largest(late)], near(1, within=0.1))


@claim(
    "ext_theorem1",
    says="Once trained, the pushes are those of the proof up to 3/M: largest |beta_nn' - E'_nn'| M / 3 from step 1000 "
    "on",
    basis=DERIVED,
    source="proof of Theorem 1, where the corrections delta_2 and delta_3 are below 3/M",
)
def push_size(decoder_alone: Run) -> Check:
    late = decoder_alone["beta_gap"].during(LATE_STEP, decoder_alone.last_step)
    return check(largest(late).max(), at_most(1))
