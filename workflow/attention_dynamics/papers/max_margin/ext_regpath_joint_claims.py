"""Claims about Theorems 5 and 6: the joint regularization path, minimisers under |v| <= r and |p| <= R.

The steps of these runs are the radii R; the ratio r / R is in their names.
"""

from attention_dynamics.claims.claim import CHOSEN, DERIVED, claim
from attention_dynamics.claims.expectation import Check, at_least, check, near
from attention_dynamics.claims.results import Results

HAS_TURNED = at_least(0.9999)

# Data of Fig 3a: every optimal token supports the label SVM.


@claim(
    "ext_regpath_joint",
    says="Every optimal token a support vector, r = R/4: p reaches ATT-SVM, cosine at R = 100",
    basis=CHOSEN,
    source="Theorem 5; the threshold is ours",
)
def all_support_p_slow_head(joint_3a_quarter: Results) -> Check:
    return check(joint_3a_quarter["correlation_gmm"].at(100), HAS_TURNED)


@claim(
    "ext_regpath_joint",
    says="The same with r = 4R",
    basis=CHOSEN,
    source="Theorem 5; the threshold is ours",
)
def all_support_p_fast_head(joint_3a_four: Results) -> Check:
    return check(joint_3a_four["correlation_gmm"].at(100), HAS_TURNED)


@claim(
    "ext_regpath_joint",
    says="Every optimal token a support vector, r = R/4: v reaches the label SVM, cosine at R = 100",
    basis=CHOSEN,
    source="Theorem 5; the threshold is ours",
)
def all_support_v_slow_head(joint_3a_quarter: Results) -> Check:
    return check(joint_3a_quarter["correlation_head"].at(100), HAS_TURNED)


@claim(
    "ext_regpath_joint",
    says="The same with r = 4R",
    basis=CHOSEN,
    source="Theorem 5; the threshold is ours",
)
def all_support_v_fast_head(joint_3a_four: Results) -> Check:
    return check(joint_3a_four["correlation_head"].at(100), HAS_TURNED)


# Data of Fig 3b: the optimal token of the third input does not.


@claim(
    "ext_regpath_joint",
    says="One token no support vector, r = 4R: p reaches the relaxed SVM, cosine at R = 100",
    basis=CHOSEN,
    source="Theorem 6; the threshold is ours",
)
def relaxed_fast_head(joint_3b_four: Results) -> Check:
    return check(joint_3b_four["correlation_relaxed"].at(100), HAS_TURNED)


@claim(
    "ext_regpath_joint",
    says="One token no support vector, r = 4R: cosine of p with ATT-SVM at R = 100",
    basis=DERIVED,
    source="cosine of (5, 1) with (1, 0)",
)
def not_att_svm_fast_head(joint_3b_four: Results) -> Check:
    return check(joint_3b_four["correlation_gmm"].at(100), near(0.980581, within=1e-5))


@claim(
    "ext_regpath_joint",
    says="One token no support vector, r = R, the smallest ratio for which p reaches the relaxed SVM: cosine at "
    "R = 100",
    basis=DERIVED,
    source="support vectors contribute exp(-r - R) to the risk, the third input exp(-1.5 r - 0.5 R)",
)
def relaxed_critical(joint_3b_one: Results) -> Check:
    return check(joint_3b_one["correlation_relaxed"].at(100), HAS_TURNED)


@claim(
    "ext_regpath_joint",
    says="One token no support vector, r = R/4: p settles between both SVMs; cosine with the relaxed SVM at R = 100",
    basis=DERIVED,
    source="its angle solves 0.5 cos - 2.5 sin = 0.5 r/R, where the contributions balance: cosine 0.98902 in the limit",
)
def between_slow_head(joint_3b_quarter: Results) -> Check:
    return check(joint_3b_quarter["correlation_relaxed"].at(100), near(0.98902, within=0.001))


@claim(
    "ext_regpath_joint",
    says="One token no support vector, r = 4R: v reaches the label SVM, cosine at R = 100",
    basis=CHOSEN,
    source="Theorem 6; the threshold is ours",
)
def relaxed_v_fast_head(joint_3b_four: Results) -> Check:
    return check(joint_3b_four["correlation_head"].at(100), HAS_TURNED)


@claim(
    "ext_regpath_joint",
    says="The same with r = R/4",
    basis=CHOSEN,
    source="Theorem 6; the threshold is ours",
)
def relaxed_v_slow_head(joint_3b_quarter: Results) -> Check:
    return check(joint_3b_quarter["correlation_head"].at(100), HAS_TURNED)
