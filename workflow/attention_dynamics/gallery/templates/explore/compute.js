// Directions and paths of the state.

import {curves, descend, gmm, incompatible, labelSvm, lmm, makeProblem, regularizationPath, relaxedSvm} from "./training.js"
import {directionColor} from "./marks.js"
import {experimentInputs, page, settingsOf, startAt} from "./page.js"

/** @typedef {import("./state.js").Point} Point */
/** @typedef {import("./view.js").Target} Target */

const GRID_STARTS = 7
// Limits of the work on the paths that are not followed, in steps times tokens, while a token is dragged (DRAG_BUDGET)
// and afterwards (FULL_BUDGET): without them the page would not respond.
const DRAG_BUDGET = 30000
const FULL_BUDGET = 2000000
const DRAG_RECORDS = 200
const RADII = [0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 14, 20, 30]

/** Find the max-margin directions, exactly. */
export function findDirections() {
  const {state} = page
  page.problem = makeProblem(experimentInputs(state), state.joint)
  const globals = gmm(page.problem)
  /** @type {Target[]} */
  const targets = globals.map((solution, k) =>
    ({name: globals.length > 1 ? `GMM ${k + 1}` : "GMM", color: directionColor(k === 0 ? 0 : 1 + k), solution}))
  page.head = null
  if (state.joint) {
    const relaxed = relaxedSvm(page.problem)
    if (relaxed && !globals.some(one => sameDirection(one.direction, relaxed.direction))) {
      targets.unshift({name: "Relaxed SVM", color: directionColor(3), solution: relaxed})
    }
    page.head = labelSvm(page.problem)?.direction ?? null
  } else {
    const locals = lmm(page.problem)
      .filter(one => !globals.some(other => sameDirection(one.direction, other.direction)))
    locals.forEach((solution, k) => targets.push({
      name: locals.length > 1 ? `LMM ${k + 1}` : "LMM", color: directionColor(targets.length || 1), solution}))
  }
  page.targets = targets
  if (state.target >= targets.length) { state.target = 0 }
  page.stale.view = true
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {boolean} */
function sameDirection(a, b) {
  return a[0] * b[0] + a[1] * b[1] > 1 - 1e-12
}

/** Train from the start that is followed, and from the others. */
export function findPaths() {
  const {state, problem} = page
  const settings = settingsOf(state)
  page.note = incompatible(problem, settings)
  page.others = []
  if (page.note) {
    page.path = page.curves = page.regpath = null
    return
  }
  page.every = page.dragging ? Math.ceil(state.steps / DRAG_RECORDS) : 1
  page.path = descend(problem, settings, startAt(state.starts[state.focus]), state.steps, page.every)
  page.curves = curves(problem, state.loss, page.path, page.targets.map(({solution}) => solution.direction))
  if (!page.path.finite) {
    page.note = `Training left the range of floating-point numbers after step ${page.path.steps[page.path.steps.length - 1]}.`
  }
  const starts = state.grid ? gridStarts() : state.starts.filter((_, k) => k !== state.focus)
  const work = starts.length * problem.n * problem.T
  const budget = page.dragging ? DRAG_BUDGET : FULL_BUDGET
  const steps = Math.min(state.steps, Math.ceil(budget / Math.max(1, work)))
  if (steps < state.steps && !page.dragging) { page.note ||= `The other paths are drawn up to step ${steps}.` }
  const every = Math.max(1, Math.floor(steps / 300))
  page.others = starts.map(start => descend(problem, settings, startAt(start), steps, every))
  if (!state.regpath || state.joint) {
    page.regpath = null
  } else if (!page.dragging || !page.regpath) {
    page.regpath = regularizationPath(problem, state.loss, RADII)?.p ?? null
  }
  page.stale.view = true
}

/** @returns {Point[]} */
function gridStarts() {
  const {x, y, span} = page.state
  const along = Array.from({length: GRID_STARTS}, (_, k) => (2 * k + 1) / GRID_STARTS - 1)
  return along.flatMap(b => along.map(a => ({x: x + a * span, y: y + b * span})))
}
