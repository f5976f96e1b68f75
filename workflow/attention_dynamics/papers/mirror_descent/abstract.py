"""Sentences of the paper's abstract as sources of claims. We had no other part of the text."""

DIRECTION = (
    "Abstract: 'these algorithms converge in direction to a generalized hard-margin SVM with an l_p-norm objective'"
)
RATE = "Abstract: 'the convergence rate is comparable to that of traditional GD in simpler models'"
JOINT = (
    "Abstract: 'conditions under which this complex joint optimization converges to their respective hard-margin SVM "
    "solutions'"
)
GENERALIZATION = "Abstract: 'MD algorithms improve generalization over standard GD'"
SELECTION = "Abstract: 'MD algorithms ... excel in optimal token selection'"
