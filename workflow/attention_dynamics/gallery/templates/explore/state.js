// The state of the page, and its form in the address.

/**
 * One token: its key in the plane, and its score where scores are given token by token.
 * @typedef {{x: number, y: number, score: number}} Token
 */

/** @typedef {{x: number, y: number}} Point */

/**
 * Everything that determines what the page shows.
 * @typedef {object} State
 * @property {string} preset name of the preset that the state started from, or "none"
 * @property {Token[][]} inputs tokens of each input
 * @property {number[]} labels label of each input, 1 or -1
 * @property {boolean} joint train the head v too: scores then follow from labels and v
 * @property {Point[]} starts starts of p
 * @property {number} focus index of the start whose path is followed
 * @property {Point} v0 start of the head v
 * @property {import("./training.js").OptimizerKind} optimizer
 * @property {import("./training.js").LossKind} loss
 * @property {number} step_size
 * @property {number} momentum
 * @property {number} c divisor of Polyak's step
 * @property {number} exponent p of mirror descent
 * @property {boolean} normalized whether both momenta and mirror descent use the unit gradient
 * @property {import("./training.js").Precision} precision
 * @property {number} steps length of the paths
 * @property {number} step step that is shown
 * @property {number} speed steps per second
 * @property {boolean} ahead whether the path beyond the step shown is drawn
 * @property {boolean} grid whether paths from a grid of starts are drawn
 * @property {boolean} basins
 * @property {boolean} cones
 * @property {boolean} rays whether the max-margin directions are drawn
 * @property {boolean} band whether the margin band and its support vectors are drawn
 * @property {boolean} regpath
 * @property {number} target index of the direction whose band is drawn
 * @property {number} x center of the view
 * @property {number} y center of the view
 * @property {number} span half of the width of the view
 * @property {"plane" | "snap"} tab
 * @property {number} eta_Y learning rate of the decoder, of Scan and snap
 * @property {number} eta_Z learning rate of the attention
 * @property {number} common probability of the common token
 */

/**
 * One property. "number" and "integer" lie in [min, max]; "choice" is one of options; "flag" is 0 or 1; "point" has
 * coordinates in [min, max]; "points", "labels" and "inputs" are lists of `least` to `most` points, labels, or tokens.
 * @typedef {object} Prop
 * @property {"number" | "integer" | "choice" | "flag" | "point" | "points" | "labels" | "inputs"} type
 * @property {any} default
 * @property {string} label
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [step] step of its slider
 * @property {boolean} [log] whether its slider is logarithmic
 * @property {[string, string][]} [options] values and their names
 * @property {number} [least]
 * @property {number} [most]
 */

// Names of the example of the introduction, and of a problem that is no example.
export const FIRST = "first"
export const OWN = "own"
export const MAX_INPUTS = 6
export const MIN_TOKENS = 2
export const MAX_TOKENS = 10
export const MAX_STARTS = 30
export const COORDINATE = 20
export const MAX_SCORE = 100

/** @type {Record<string, Prop>} */
export const PROPS = {
  preset: {type: "choice", label: "Example", default: FIRST, options: [[FIRST, "Three tokens, two directions"], [OWN, "Your own problem"]]},
  inputs: {
    type: "inputs", label: "Tokens", min: -COORDINATE, max: COORDINATE, least: MIN_TOKENS, most: MAX_TOKENS,
    default: [[{x: -0.3, y: 1.3, score: 1}, {x: 0.9, y: -1.1, score: 0.8}, {x: -0.6, y: -0.3, score: 0}]],
  },
  labels: {type: "labels", label: "Labels", least: 1, most: MAX_INPUTS, default: [1]},
  joint: {type: "flag", label: "Train the head v too", default: false},
  starts: {
    type: "points", label: "Starts of p", min: -COORDINATE, max: COORDINATE, least: 1, most: MAX_STARTS,
    default: [{x: 0, y: 0}, {x: 0.2, y: -0.7}, {x: -1.2, y: -0.8}, {x: 1.6, y: 0.4}, {x: 0, y: -1.8}],
  },
  focus: {type: "integer", label: "Path followed", min: 0, max: MAX_STARTS - 1, default: 0},
  v0: {type: "point", label: "Start of v", min: -COORDINATE, max: COORDINATE, default: {x: -1, y: 0}},
  optimizer: {
    type: "choice", label: "Optimizer", default: "normalized_gd",
    options: [
      ["normalized_gd", "Normalized gradient descent"], ["gd", "Gradient descent"], ["polyak", "Polyak steps"],
      ["momentum", "Momentum"], ["nesterov", "Nesterov momentum"], ["mirror_descent", "Mirror descent"],
    ],
  },
  loss: {
    type: "choice", label: "Loss", default: "logistic",
    options: [["logistic", "Logistic"], ["exponential", "Exponential"], ["correlation", "Correlation"]],
  },
  step_size: {type: "number", label: "Step size", min: 0.001, max: 100, log: true, default: 0.1},
  momentum: {type: "number", label: "Momentum", min: 0, max: 0.99, step: 0.01, default: 0.9},
  c: {type: "number", label: "Polyak's c", min: 0.5, max: 20, step: 0.1, default: 2},
  exponent: {type: "number", label: "Exponent p", min: 1.05, max: 10, log: true, default: 2},
  normalized: {type: "flag", label: "Unit gradient", default: true},
  precision: {
    type: "choice", label: "Arithmetic", default: "stable",
    options: [
      ["stable", "Cancellation-free"], ["float64", "Textbook, double precision"],
      ["float32", "Textbook, single precision"],
    ],
  },
  steps: {type: "integer", label: "Steps", min: 10, max: 5000, log: true, default: 1000},
  step: {type: "integer", label: "Step", min: 0, max: 5000, default: 0},
  speed: {type: "number", label: "Steps per second", min: 1, max: 500, log: true, default: 40},
  ahead: {type: "flag", label: "Path beyond the step shown", default: true},
  grid: {type: "flag", label: "Paths from a grid of starts", default: false},
  basins: {type: "flag", label: "Basins: where each start ends", default: false},
  cones: {type: "flag", label: "Cones: directions that select the same tokens", default: false},
  rays: {type: "flag", label: "Max-margin directions", default: true},
  band: {type: "flag", label: "Margin band and support vectors", default: true},
  regpath: {type: "flag", label: "Regularization path", default: false},
  target: {type: "integer", label: "Direction with the band", min: 0, max: 50, default: 0},
  x: {type: "number", label: "View, x", min: -500, max: 500, default: 0.4},
  y: {type: "number", label: "View, y", min: -500, max: 500, default: 0.3},
  tab: {type: "choice", label: "Tab", default: "plane", options: [["plane", "The plane"], ["snap", "Scan and snap"]]},
  eta_Y: {type: "number", label: "Rate of the decoder, η_Y", min: 0.1, max: 10, log: true, default: 1},
  eta_Z: {type: "number", label: "Rate of attention, η_Z", min: 0.01, max: 10, log: true, default: 1},
  common: {type: "number", label: "Share of the common word", min: 0.05, max: 0.9, step: 0.01, default: 0.4},
  span: {type: "number", label: "View, half width", min: 0.2, max: 500, default: 2.5},
}

/**
 * Return the default state.
 * @returns {State}
 */
export function defaultState() {
  const entries = Object.entries(PROPS).map(([name, prop]) => [name, structuredClone(prop.default)])
  return /** @type {State} */ (Object.fromEntries(entries))
}

/**
 * Return a number clamped to its bounds. Add a line to the report if that changed it.
 * @param {number} value
 * @param {number} min
 * @param {number} max
 * @param {string} label
 * @param {string[]} report
 * @returns {number}
 */
export function clamp(value, min, max, label, report) {
  if (value < min || value > max) {
    const used = value < min ? min : max
    report.push(`${label}: ${value} is outside ${min} to ${max}; ${used} is used.`)
    return used
  }
  return value
}

/**
 * Return the numbers of a text such as "1,0.5"; null unless it has `count` numbers.
 * @param {string} text
 * @param {number} count
 * @returns {number[] | null}
 */
function readNumbers(text, count) {
  const numbers = text.split(",").map(part => (part.trim() === "" ? NaN : Number(part)))
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null
}

/**
 * Return the first `most` entries. Add a line to the report if there were more.
 * @template T
 * @param {T[]} list
 * @param {number} most
 * @param {string} label
 * @param {string[]} report
 * @returns {T[]}
 */
function shorten(list, most, label, report) {
  if (list.length > most) {
    report.push(`${label}: ${list.length} are given; the first ${most} are used.`)
  }
  return list.slice(0, most)
}

/**
 * Return the point of a text such as "1,0.5", clamped to the bounds of a property; null if the text is no point.
 * @param {string} text
 * @param {Prop} prop
 * @param {string[]} report
 * @returns {Point | null}
 */
function readPoint(text, prop, report) {
  const numbers = readNumbers(text, 2)
  if (!numbers) { return null }
  const [x, y] = numbers.map(n => clamp(n, Number(prop.min), Number(prop.max), prop.label, report))
  return {x, y}
}

/**
 * Return the tokens of one input from a text such as "1,0.5,2;0,1,-1", x, y and score of each; null if it is invalid.
 * @param {string} text
 * @param {Prop} prop
 * @param {string[]} report
 * @returns {Token[] | null}
 */
function readTokens(text, prop, report) {
  const tokens = shorten(text.split(";"), Number(prop.most), prop.label, report).map(part => {
    const numbers = readNumbers(part, 3)
    if (!numbers) { return null }
    const [x, y] = numbers.slice(0, 2).map(n => clamp(n, Number(prop.min), Number(prop.max), prop.label, report))
    return {x, y, score: clamp(numbers[2], -MAX_SCORE, MAX_SCORE, "Score", report)}
  })
  return tokens.length >= MIN_TOKENS && tokens.every(token => token) ? /** @type {Token[]} */ (tokens) : null
}

/**
 * Return the inputs, cut to the number of tokens of the shortest. Add a line to the report if some had more.
 * @param {Token[][]} inputs
 * @param {string[]} report
 * @returns {Token[][]}
 */
function equallyLong(inputs, report) {
  const count = Math.min(...inputs.map(tokens => tokens.length))
  if (inputs.some(tokens => tokens.length > count)) {
    report.push(`Tokens: all inputs need the same number; the first ${count} of each are used.`)
  }
  return inputs.map(tokens => tokens.slice(0, count))
}

/**
 * Return the value of a property from its text; null if the text is no such value.
 * @param {Prop} prop
 * @param {string} text
 * @param {string[]} report
 * @returns {any}
 */
function readValue(prop, text, report) {
  const [min, max] = [Number(prop.min), Number(prop.max)]
  switch (prop.type) {
    case "number": case "integer": {
      const numbers = readNumbers(text, 1)
      if (!numbers || (prop.type === "integer" && !Number.isInteger(numbers[0]))) { return null }
      return clamp(numbers[0], min, max, prop.label, report)
    }
    case "choice": return (prop.options ?? []).some(([value]) => value === text) ? text : null
    case "flag": return text === "1" ? true : text === "0" ? false : null
    case "point": return readPoint(text, prop, report)
    case "points": {
      const points = shorten(text.split(";"), Number(prop.most), prop.label, report)
        .map(part => readPoint(part, prop, report))
      return points.every(point => point) ? points : null
    }
    case "labels": {
      const labels = shorten(text.split(","), Number(prop.most), prop.label, report).map(Number)
      return labels.every(label => label === 1 || label === -1) ? labels : null
    }
    case "inputs": {
      const inputs = shorten(text.split("|"), MAX_INPUTS, "Inputs", report).map(part => readTokens(part, prop, report))
      return inputs.every(tokens => tokens) ? equallyLong(/** @type {Token[][]} */ (inputs), report) : null
    }
  }
}

/**
 * Return the text of a value of a property. Numbers keep all their digits.
 * @param {Prop} prop
 * @param {any} value
 * @returns {string}
 */
function writeValue(prop, value) {
  switch (prop.type) {
    case "flag": return value ? "1" : "0"
    case "point": return `${value.x},${value.y}`
    case "points": return value.map((/** @type {Point} */ p) => `${p.x},${p.y}`).join(";")
    case "inputs":
      return value.map((/** @type {Token[]} */ tokens) =>
        tokens.map(token => `${token.x},${token.y},${token.score}`).join(";")).join("|")
    default: return String(value)
  }
}

/**
 * Return the state with properties that fit each other: a label per input, indices that exist.
 * @param {State} state
 * @returns {State}
 */
export function consistent(state) {
  state.labels = state.inputs.map((_, i) => state.labels[i] ?? 1)
  state.focus = Math.min(state.focus, state.starts.length - 1)
  state.step = Math.min(state.step, state.steps)
  return state
}

/**
 * Return the state that the part of an address behind # describes, and what had to be changed in it.
 * Unknown names and texts that are no values are reported and left out; numbers out of bounds are clamped.
 * @param {string} address
 * @returns {{state: State, report: string[]}}
 */
export function readAddress(address) {
  const state = defaultState()
  /** @type {string[]} */
  const report = []
  for (const [name, text] of new URLSearchParams(address.replace(/^#/, ""))) {
    const prop = Object.hasOwn(PROPS, name) ? PROPS[name] : null
    if (!prop) {
      report.push(`${name}: there is no such property; it is left out.`)
      continue
    }
    const value = readValue(prop, text, report)
    if (value === null) {
      report.push(`${prop.label}: "${text.slice(0, 40)}" is not a valid value; the default is used.`)
    } else {
      /** @type {Record<string, any>} */ (/** @type {unknown} */ (state))[name] = value
    }
  }
  const given = state.labels.length
  if (given > state.inputs.length) {
    report.push(`Labels: ${given} are given for ${state.inputs.length} inputs; the first are used.`)
  }
  if (state.step > state.steps) { report.push(`Step: ${state.step} is beyond the last, ${state.steps}, which is used.`) }
  if (state.focus >= state.starts.length) {
    report.push(`Path followed: there is no start ${state.focus + 1}; the last is used.`)
  }
  const defaults = writeValue(PROPS.inputs, PROPS.inputs.default)
  if (state.preset === FIRST && writeValue(PROPS.inputs, state.inputs) !== defaults) { state.preset = OWN }
  return {state: consistent(state), report}
}

/**
 * Return the part of the address behind #, with the properties that differ from their defaults.
 * @param {State} state
 * @returns {string}
 */
export function writeAddress(state) {
  const parts = []
  for (const [name, prop] of Object.entries(PROPS)) {
    const text = writeValue(prop, /** @type {Record<string, any>} */ (/** @type {unknown} */ (state))[name])
    if (text !== writeValue(prop, prop.default)) {
      parts.push(`${name}=${text}`)
    }
  }
  return parts.join("&")
}

