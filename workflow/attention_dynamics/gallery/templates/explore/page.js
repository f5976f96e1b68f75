// The state of the page, what was computed from it, and its elements.

import {makeProblem} from "./training.js"
import {defaultState, PROPS} from "./state.js"
import {Plane} from "./view.js"

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Point} Point */
/** @typedef {import("./view.js").Target} Target */
/** @typedef {import("./copy.js").Experiment} Experiment */

/**
 * Return an element of the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id)
  if (!element) { throw new Error(`the page has no element ${id}`) }
  return element
}

/** @param {string} id @returns {HTMLButtonElement} */
export function buttonById(id) { return /** @type {HTMLButtonElement} */ (byId(id)) }

/** @param {string} id @returns {HTMLInputElement} */
export function inputById(id) { return /** @type {HTMLInputElement} */ (byId(id)) }

/** @param {string} id @returns {HTMLSelectElement} */
export function selectById(id) { return /** @type {HTMLSelectElement} */ (byId(id)) }

/** @param {string} id @returns {SVGSVGElement} */
export function svgById(id) { return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId(id))) }

/**
 * Return an HTML element with properties and children.
 * @param {string} name
 * @param {Record<string, any>} properties
 * @param {(Node | string)[]} children
 * @returns {any}
 */
export function html(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) { /** @type {any} */ (element)[key] = value } else { element.setAttribute(key, value) }
  }
  element.append(...children)
  return element
}

/**
 * Show what is wrong with an address or a file; nothing if all is well.
 * @param {string} title
 * @param {string[]} report
 */
export function showReport(title, report) {
  byId("report").hidden = !report.length
  byId("report-title").textContent = title
  byId("report-list").replaceChildren(...report.map(text => html("li", {}, text)))
}

/** @typedef {Experiment & {name: string, page: string, title: string}} Preset */

export const plane = new Plane(svgById("plane-svg"), /** @type {HTMLCanvasElement} */ (byId("basin-canvas")))
export const presets = /** @type {Preset[]} */ (JSON.parse(byId("presets").textContent || "[]"))
PROPS.preset.options?.splice(1, 0, ...presets.map(({name, title}) => /** @type {[string, string]} */ ([name, title])))

/** The page's state, and what was computed from it. */
export const page = {
  state: defaultState(),
  /** @type {{input: number, token: number} | null} */
  chosen: null,
  playing: false,
  dragging: false,
  tour: 0,
  tool: "move",
  problem: makeProblem(experimentInputs(defaultState()), false),
  /** @type {Target[]} */
  targets: [],
  /** @type {Float64Array | null} */
  head: null,
  /** @type {import("./training.js").Path | null} */
  path: null,
  /** @type {import("./training.js").Path[]} */
  others: [],
  /** @type {import("./training.js").Curves | null} */
  curves: null,
  /** @type {Float64Array | null} */
  regpath: null,
  note: "",
  // Steps between records of the path, and the fraction of a step that is still to be played.
  every: 1,
  owed: 0,
  stale: {problem: true, paths: true, tables: true, basins: true, view: true},
  frame: 0,
}

/**
 * Return the state's inputs in the form that training.js and copy.js take.
 * @param {State} state
 * @returns {Experiment["inputs"]}
 */
export function experimentInputs(state) {
  return state.inputs.map((tokens, i) => ({
    tokens: tokens.map(({x, y}) => [x, y]), scores: tokens.map(({score}) => score), label: state.labels[i],
  }))
}

/**
 * @param {State} state
 * @returns {import("./training.js").Settings}
 */
export function settingsOf(state) {
  const {optimizer, momentum, exponent, c, normalized, loss, precision} = state
  return {optimizer, stepSize: state.step_size, momentum, exponent, c, longest: null, normalized, loss, precision}
}

/**
 * Return a start of a training; v where the head is trained.
 * @param {Point} point
 * @returns {{p: number[], v?: number[]}}
 */
export function startAt(point) {
  const {joint, v0} = page.state
  return joint ? {p: [point.x, point.y], v: [v0.x, v0.y]} : {p: [point.x, point.y]}
}

/** @returns {number} record of the path that is shown */
export function shownRecord() {
  return page.path ? Math.min(Math.round(page.state.step / page.every), page.path.steps.length - 1) : 0
}

/** @returns {boolean[][]} whether a token has the highest score of its input (the first, where v is trained) */
export function bestTokens() {
  const {inputs, joint} = page.state
  return inputs.map(tokens => {
    const top = Math.max(...tokens.map(({score}) => score))
    return tokens.map(({score}, t) => (joint ? t === 0 : score === top))
  })
}
