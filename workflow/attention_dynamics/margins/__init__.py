"""Max-margin directions: certified solutions of the SVMs that training is said to converge to.

A kind of reference direction is a ``Reference``: one class per module, whose ``solve`` returns a TokenSolution, a
LabelSolution or Infeasible.
"""
