// Changes of the problem and of the view.

import {say, sayOutcome} from "./live.js"
import {page, presets, showReport} from "./page.js"
import {refresh} from "./refresh.js"
import {consistent, COORDINATE, defaultState, MAX_STARTS, MAX_TOKENS, MIN_TOKENS, OWN, PROPS} from "./state.js"
import {MAX_TABLE_BYTES, readTable} from "./upload.js"

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Point} Point */

/** @param {State} state */
export function replaceState(state) {
  page.state = state
  page.chosen = null
  page.playing = false
  refresh("problem", "paths", "tables", "basins")
}

/** @param {number} value @returns {number} */
export function round(value) {
  return Number(Math.max(-COORDINATE, Math.min(COORDINATE, value)).toFixed(2))
}

/**
 * @param {number} i
 * @param {number} t
 * @param {Point} point
 */
export function moveToken(i, t, point) {
  Object.assign(page.state.inputs[i][t], {x: round(point.x), y: round(point.y)})
  problemChanged()
}

/** Add a token to every input, to `input` at the point. @param {number} input @param {Point} point */
export function addToken(input, point) {
  const {inputs} = page.state
  if (inputs[0].length >= MAX_TOKENS) {
    say(`An input has at most ${MAX_TOKENS} tokens.`)
    return
  }
  inputs.forEach((tokens, i) => tokens.push({x: round(point.x + 0.3 * (i - input)), y: round(point.y), score: 0}))
  page.chosen = {input, token: inputs[0].length - 1}
  problemChanged()
  sayOutcome()
}

/** @param {number} t token that every input loses */
export function removeToken(t) {
  const {inputs} = page.state
  if (inputs[0].length <= MIN_TOKENS) {
    say(`An input has at least ${MIN_TOKENS} tokens.`)
    return
  }
  for (const tokens of inputs) { tokens.splice(t, 1) }
  page.chosen = null
  problemChanged()
  sayOutcome()
}

/** @param {Point} point */
export function moveStart(point) {
  page.state.starts[page.state.focus] = {x: round(point.x), y: round(point.y)}
  refresh("paths", "tables")
}

/** @param {{input: number, token: number} | null} chosen */
export function choose(chosen) {
  page.chosen = chosen
  refresh("tables")
}

/** @param {number} factor */
export function zoom(factor) {
  const {state} = page
  state.span = Math.min(Number(PROPS.span.max), Math.max(Number(PROPS.span.min), Number((state.span * factor).toPrecision(4))))
  refresh("basins", ...(state.grid ? /** @type {const} */ (["paths"]) : []))
}

/** Fit the view to the tokens and starts; if it fits them already, also to the whole path. */
export function fit() {
  const {state, path} = page
  const before = [state.x, state.y, state.span].join()
  fitTo(state, [])
  if ([state.x, state.y, state.span].join() === before && path) {
    fitTo(state, Array.from({length: path.steps.length}, (_, k) => ({x: path.p[2 * k], y: path.p[2 * k + 1]})))
  }
  refresh("basins", ...(state.grid ? /** @type {const} */ (["paths"]) : []))
}

/**
 * Set the view of a state so that its tokens, its starts, the origin and some points show.
 * @param {State} state
 * @param {Point[]} points
 */
function fitTo(state, points) {
  const all = [...state.inputs.flat(), ...state.starts, ...points, {x: 0, y: 0}]
  const bounds = (/** @type {"x" | "y"} */ axis) =>
    all.reduce(([low, high], p) => [Math.min(low, p[axis]), Math.max(high, p[axis])], [Infinity, -Infinity])
  const [[x0, x1], [y0, y1]] = [bounds("x"), bounds("y")]
  const within = (/** @type {string} */ name, /** @type {number} */ value) =>
    Number(Math.max(Number(PROPS[name].min), Math.min(Number(PROPS[name].max), value)).toPrecision(4))
  state.x = within("x", (x0 + x1) / 2)
  state.y = within("y", (y0 + y1) / 2)
  state.span = within("span", 0.72 * Math.max(x1 - x0, y1 - y0, 0.5))
}

/** @param {string} name */
export function loadPreset(name) {
  const preset = presets.find(one => one.name === name)
  const state = {...defaultState(), speed: page.state.speed, basins: page.state.basins, cones: page.state.cones,
    grid: page.state.grid, preset: name}
  if (preset) {
    const {settings} = preset
    Object.assign(state, {
      inputs: preset.inputs.map(({tokens, scores}) => tokens.map(([x, y], t) => ({x, y, score: scores?.[t] ?? 0}))),
      labels: preset.inputs.map(({label}) => label ?? 1), joint: preset.joint, steps: preset.steps,
      starts: preset.starts.slice(0, MAX_STARTS).map(({p}) => ({x: p[0], y: p[1]})), optimizer: settings.optimizer,
      loss: settings.loss, step_size: settings.stepSize, momentum: settings.momentum, exponent: settings.exponent,
      c: settings.c, normalized: settings.normalized, precision: settings.precision,
    })
    const v = preset.starts[0].v
    if (v) { state.v0 = {x: v[0], y: v[1]} }
    fitTo(state, [])
  }
  replaceState(consistent(state))
}

export function randomProblem() {
  const whole = (/** @type {number} */ low, /** @type {number} */ high) => low + Math.floor(Math.random() * (high - low + 1))
  const [n, T] = [whole(1, 3), whole(3, 5)]
  const coordinate = () => round(3 * Math.random() - 1.5)
  const {state} = page
  state.inputs = Array.from({length: n}, () => Array.from({length: T}, () =>
    ({x: coordinate(), y: coordinate(), score: round(Math.random())})))
  state.labels = state.inputs.map(() => (Math.random() < 0.5 ? 1 : -1))
  Object.assign(state, {step: 0, target: 0, focus: 0, starts: defaultState().starts})
  page.chosen = null
  fitTo(state, [])
  problemChanged()
  sayOutcome()
}

/**
 * Take tokens and labels from a file, and train the head on them. Show a report if the file is invalid.
 * @param {File} file
 */
export async function openTable(file) {
  /** @type {string[]} */
  const report = []
  try {
    if (file.size > MAX_TABLE_BYTES) { throw Error(`has more than ${MAX_TABLE_BYTES} bytes`) }
    Object.assign(page.state, {...readTable(await file.text()), joint: true, step: 0, target: 0})
    page.chosen = null
    fitTo(page.state, [])
    problemChanged()
    sayOutcome()
  } catch (error) {
    report.push(`${file.name}: ${/** @type {Error} */ (error).message}`)
  }
  showReport("The table cannot be used", report)
}

/** Have everything computed again, after a change of tokens, scores or labels. */
export function problemChanged() {
  page.state.preset = OWN
  refresh("problem", "paths", "tables", "basins")
}
