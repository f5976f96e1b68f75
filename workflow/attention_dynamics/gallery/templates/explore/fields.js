// Fields made from the table of properties.

import {problemChanged} from "./edit.js"
import {say} from "./live.js"
import {show} from "./marks.js"
import {byId, html, page, presets, selectById} from "./page.js"
import {refresh} from "./refresh.js"
import {clamp, consistent, PROPS} from "./state.js"
import {ADVICE} from "./texts.js"

/** @typedef {import("./state.js").Prop} Prop */

export const TRAINING_FIELDS = ["optimizer", "step_size", "momentum", "exponent", "c", "normalized", "loss", "joint", "precision", "steps", "speed"]
export const SHOW_FIELDS = ["rays", "band", "cones", "basins", "ahead", "grid", "regpath"]
/** @type {Map<string, {row: HTMLElement, sync: () => void}>} */
const fields = new Map()

/**
 * Return whether a property matters with the present optimizer and head.
 * @param {string} name
 * @returns {boolean}
 */
function matters(name) {
  const {optimizer, joint} = page.state
  switch (name) {
    case "momentum": return optimizer === "momentum" || optimizer === "nesterov"
    case "exponent": return optimizer === "mirror_descent"
    case "normalized": return ["momentum", "nesterov", "mirror_descent"].includes(optimizer)
    case "c": return optimizer === "polyak"
    case "step_size": return optimizer !== "polyak"
    case "regpath": return !joint
    default: return true
  }
}

/** @param {string} name */
export function makeField(name) {
  const prop = PROPS[name]
  const values = /** @type {Record<string, any>} */ (/** @type {unknown} */ (page))
  const read = () => values.state[name]
  const write = (/** @type {any} */ value) => {
    values.state[name] = value
    if (name === "joint" || name === "preset") { problemChanged() }
    consistent(page.state)
    refresh("paths", "tables", "basins")
  }
  if (prop.type === "flag") {
    const box = html("input", {type: "checkbox", id: `field-${name}`})
    box.addEventListener("change", () => write(box.checked))
    const row = html("label", {className: "check"}, box, prop.label)
    fields.set(name, {row, sync: () => { box.checked = read() }})
    return row
  }
  // In a label, the letter after an underscore is an index, as in η_Y.
  const label = html("label", {htmlFor: `field-${name}`},
    ...prop.label.split(/_(\w)/).map((part, k) => (k % 2 ? html("sub", {}, part) : part)))
  if (prop.type === "choice") {
    const select = html("select", {id: `field-${name}`},
      ...(prop.options ?? []).map(([value, text]) => html("option", {value}, text)))
    select.addEventListener("change", () => write(select.value))
    const row = html("div", {className: "field"}, label, select)
    fields.set(name, {row, sync: () => { select.value = read() }})
    return row
  }
  return makeRange(name, prop, label, read, write)
}

/**
 * Return a slider with a number field.
 * @param {string} name
 * @param {Prop} prop
 * @param {HTMLElement} label
 * @param {() => number} read
 * @param {(value: number) => void} write
 * @returns {HTMLElement}
 */
function makeRange(name, prop, label, read, write) {
  const [min, max] = [Number(prop.min), Number(prop.max)]
  const toSlider = (/** @type {number} */ value) => (prop.log ? Math.log(value) : value)
  const fromSlider = (/** @type {number} */ place) => {
    const value = prop.log ? Number(Math.exp(place).toPrecision(2)) : place
    return Math.min(max, Math.max(min, prop.type === "integer" ? Math.round(value) : value))
  }
  const slider = html("input", {type: "range", min: toSlider(min), max: toSlider(max), step: prop.log ? "any" : String(prop.step),
    id: `field-${name}`})
  const number = html("input", {type: "number", min, max, step: "any", "aria-label": `${prop.label}, number`})
  slider.addEventListener("input", () => write(fromSlider(slider.valueAsNumber)))
  number.addEventListener("change", () => {
    /** @type {string[]} */
    const report = []
    const given = prop.type === "integer" ? Math.round(number.valueAsNumber) : number.valueAsNumber
    if (Number.isFinite(given)) { write(clamp(given, min, max, prop.label, report)) }
    if (report.length) { say(report.join(" ")) }
    sync()
  })
  const sync = () => {
    if (document.activeElement !== slider) { slider.value = String(toSlider(read())) }
    slider.setAttribute("aria-valuetext", show(read()))
    number.value = String(read())
  }
  const row = html("div", {className: "field"}, label, html("div", {className: "pair"}, slider, number))
  fields.set(name, {row, sync})
  return row
}

export function syncFields() {
  for (const [name, {row, sync}] of fields) {
    row.hidden = !matters(name)
    sync()
  }
  const select = selectById("preset")
  select.value = page.state.preset
  byId("preset-text").textContent = ADVICE[page.state.preset] ?? ""
  const preset = presets.find(({name}) => name === page.state.preset)
  const link = /** @type {HTMLAnchorElement} */ (byId("preset-page"))
  link.hidden = !preset
  link.href = preset?.page ?? ""
}
