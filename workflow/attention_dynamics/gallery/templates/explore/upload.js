// Reading of a table of tokens and labels in the plane, in the format of docs/own_data.md.

import {COORDINATE, MAX_INPUTS, MAX_TOKENS, MIN_TOKENS} from "./state.js"

/** @typedef {import("./state.js").Token} Token */

export const MAX_TABLE_BYTES = 100000

/**
 * Return the inputs, each with its optimal token first, and their labels. Throws Error, with what is wrong.
 * @param {string} text
 * @returns {{inputs: Token[][], labels: number[]}}
 */
export function readTable(text) {
  const [head = [], ...rows] = text.replace("\ufeff", "").split(/\r?\n/).filter(line => line.trim())
    .map(line => line.split(",").map(cell => cell.trim().replace(/^"(.*)"$/, "$1")))
  const wanted = ["input", "label", "x1", "x2"]
  for (const name of [...wanted, ...head]) {
    if (!head.includes(name) || ![...wanted, "optimal"].includes(name)) {
      throw Error(`column ${name} is ${head.includes(name) ? "unknown" : "missing"}; needs input, label, x1, x2, may have optimal`)
    }
  }
  /** @type {Map<string, {label: number, tokens: Token[], optimal: number[]}>} */
  const inputs = new Map()
  rows.forEach((row, k) => {
    const number = (/** @type {string} */ name, /** @type {string} */ what, /** @type {(value: number) => boolean} */ fits) => {
      const cell = row[head.indexOf(name)] ?? ""
      if (!cell || !fits(Number(cell))) { throw Error(`${name}: row ${k + 1}: need ${what}, got "${cell.slice(0, 40)}"`) }
      return Number(cell)
    }
    const coordinate = (/** @type {string} */ name) =>
      number(name, `a number from -${COORDINATE} to ${COORDINATE}`, value => Math.abs(value) <= COORDINATE)
    const label = number("label", "+1 or -1", value => Math.abs(value) === 1)
    const name = row[head.indexOf("input")]
    const input = inputs.get(name) ?? {label, tokens: [], optimal: []}
    if (input.label !== label) { throw Error(`label: input ${name} has rows with +1 and with -1`) }
    if (head.includes("optimal") && number("optimal", "0 or 1", value => value === 0 || value === 1)) {
      input.optimal.push(input.tokens.length)
    }
    input.tokens.push({x: coordinate("x1"), y: coordinate("x2"), score: 0})
    inputs.set(name, input)
  })
  if (!inputs.size || inputs.size > MAX_INPUTS) { throw Error(`has ${inputs.size} inputs; this page takes 1 to ${MAX_INPUTS}`) }
  const count = [...inputs.values()][0].tokens.length
  for (const [name, {tokens, optimal}] of inputs) {
    if (tokens.length !== count || count < MIN_TOKENS || count > MAX_TOKENS) {
      throw Error(`input ${name} has ${tokens.length} tokens; all need equally many, ${MIN_TOKENS} to ${MAX_TOKENS}`)
    }
    if (head.includes("optimal") && optimal.length !== 1) {
      throw Error(`optimal: input ${name} has ${optimal.length} optimal tokens, not one`)
    }
    tokens.unshift(...tokens.splice(optimal[0] ?? 0, 1))
  }
  return {inputs: [...inputs.values()].map(({tokens}) => tokens), labels: [...inputs.values()].map(({label}) => label)}
}
