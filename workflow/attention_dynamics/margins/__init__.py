"""Max-margin directions: certified solutions of the SVMs that training is said to converge to.

A kind of reference direction is a module with ``solve(problem, index, *, ...)``, which returns a TokenSolution, a
LabelSolution or Infeasible, and ``PARAMETER``, "p" or "v": whose direction it is.
"""
