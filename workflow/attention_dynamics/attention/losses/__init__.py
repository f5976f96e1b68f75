"""Losses: one module each, decreasing functions of the margin Y f(X) (Assumption A of Max-margin).

A module defines ``loss(margin)`` and ``log_slope(margin)`` = log(-loss'(margin)). The slope is taken in
log form because it underflows long before its *ratio* between two inputs stops mattering.

A loss that regularization paths or the risk above its infimum (``risk_gap``) are computed for also defines, on NumPy
arrays, ``log_excess(margin, log_shortfall)``: log(loss(m - x) - loss(m)) from m and log(x), in closed form, because the
difference itself cancels and underflows. A loss whose infimum is zero defines ``log_loss(margin)`` for the same reason.
"""
