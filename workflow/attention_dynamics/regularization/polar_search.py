"""Global minimization over a sector of the plane: a disc, ring or cone, which is a rectangle in polar coordinates."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy  # Not scipy.optimize: SciPy loads its submodules on first use, and reading a configuration needs none.

from attention_dynamics.problems.arrays import takes_arrays
from attention_dynamics.problems.problem import Array

LBFGS_OPTIONS = {"ftol": 0.0, "gtol": 1e-12, "maxiter": 500, "maxcor": 20}


class Objective(Protocol):
    """A function on the plane."""

    def values(self, points: Array) -> Array:
        """Return the values, (...), at points (..., 2)."""

    def gradients(self, points: Array) -> Array:
        """Return the gradients, (m, 2), at points (m, 2)."""


@dataclass(frozen=True)
class Sector:
    """The points of the plane with an angle in ``angles``, in radians, and a norm in ``radii``; both are intervals.

    An interval of angles of length 2 pi gives a whole ring.
    """

    angles: tuple[float, float]
    radii: tuple[float, float]

    @property
    def whole(self) -> bool:
        """True if the sector contains all angles."""
        return self.angles[1] - self.angles[0] >= 2 * np.pi

    def directions(self, count: int) -> Array:
        """Return unit vectors at ``count`` equally spaced angles of the sector, (count, 2)."""
        return _plane(np.linspace(*self.angles, count, endpoint=not self.whole), 1.0)

    def grid(self, angles: int, radii: int) -> tuple[Array, Array]:
        """Return the angles, (angles,), and the radii, (radii,), of a grid.

        Angles are equally spaced, radii are denser towards the inner end. The grid contains the ends of both intervals,
        except the radius 0, where no angle is defined, and the last angle of a whole ring, which equals the first.
        """
        low, high = self.radii
        share = np.linspace(0.0, 1.0, radii + 1)[1:] if low == 0 else np.linspace(0.0, 1.0, radii)
        return np.linspace(*self.angles, angles, endpoint=not self.whole), low + (high - low) * share**2


def disc(radius: float) -> Sector:
    """Return the sector of all points of norm at most ``radius``."""
    return Sector((-np.pi, np.pi), (0.0, radius))


@takes_arrays()
def cone(axis: Array, half_angle: float, radii: tuple[float, float]) -> Sector:
    """Return the points within ``half_angle`` radians of ``axis``, (2,), with norm from radii[0] to radii[1]."""
    centre = np.arctan2(axis[1], axis[0])
    return Sector((centre - half_angle, centre + half_angle), radii)


def minimize(objective: Objective, sector: Sector, angles: int = 720, radii: int = 32, basins: int = 6) -> Array:
    """Return the argmin of an objective over a sector, (2,), in Cartesian coordinates.

    The ``basins`` best local minima on a grid of ``angles`` x ``radii`` points are refined by L-BFGS-B, so that the
    search is global up to the resolution of the grid. Raises FloatingPointError if the objective is NaN on the grid.
    """
    theta, rho = sector.grid(angles, radii)
    values = objective.values(_plane(theta[:, None], rho))
    if np.isnan(values).any():
        raise FloatingPointError("the objective is NaN somewhere in the sector")
    around = scipy.ndimage.minimum_filter(values, size=3, mode=("wrap" if sector.whole else "nearest", "nearest"))
    minima = np.argwhere(values == around)
    best = minima[np.argsort(values[*minima.T], kind="stable")][:basins]
    polished = [_polish(objective, sector, theta[a], rho[r]) for a, r in best]
    return min(polished, key=lambda point: objective.values(point))


def _polish(objective: Objective, sector: Sector, angle: float, radius: float) -> Array:
    """Return the local minimizer, (2,) in Cartesian coordinates, that L-BFGS-B finds from the point (angle, radius)."""
    # Angles are multiplied by the outer radius, which makes them lengths of arcs, on the same scale as radii.
    scale = np.array([sector.radii[1], 1.0])

    def value_and_gradient(x: Array) -> tuple[float, Array]:
        theta, rho = x / scale
        point, along = _plane(theta, rho), np.array([-np.sin(theta), np.cos(theta)])
        gradient = objective.gradients(point[None])[0]
        outward = np.array([np.cos(theta), np.sin(theta)])
        return float(objective.values(point)), np.array([rho * (gradient @ along), gradient @ outward]) / scale

    angles = (-np.inf, np.inf) if sector.whole else tuple(scale[0] * np.array(sector.angles))
    start = scale * np.array([angle, radius])
    answer = scipy.optimize.minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=(angles, sector.radii), options=LBFGS_OPTIONS
    )
    return _plane(*(answer.x / scale))


def _plane(theta: Array | float, rho: Array | float) -> Array:
    return np.stack(np.broadcast_arrays(rho * np.cos(theta), rho * np.sin(theta)), axis=-1)
