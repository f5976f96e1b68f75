"""Max-margin directions: certified solutions of the SVMs that training is said to converge to.

A kind of reference direction is a module with ``solve(problem, index, *, ...)``, the call that the workflow makes.
"""
