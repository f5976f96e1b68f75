// Tables of directions, tokens and starts.

import {problemChanged} from "./edit.js"
import {syncFields} from "./fields.js"
import {say} from "./live.js"
import {inputColor, markOutline, show, svgElement} from "./marks.js"
import {bestTokens, buttonById, byId, html, inputById, page, shownRecord} from "./page.js"
import {refresh} from "./refresh.js"
import {clamp, COORDINATE, MAX_INPUTS, MAX_SCORE, MAX_STARTS, MAX_TOKENS} from "./state.js"

/** @typedef {import("./state.js").Point} Point */

/**
 * Return a number field. Numbers out of bounds are clamped and reported.
 * @param {string} label
 * @param {number} value
 * @param {number} bound
 * @param {(value: number) => void} set
 * @returns {HTMLInputElement}
 */
function numberField(label, value, bound, set) {
  const field = html("input", {type: "number", step: "0.1", min: -bound, max: bound, value: String(value), "aria-label": label})
  field.addEventListener("change", () => {
    /** @type {string[]} */
    const report = []
    const given = field.valueAsNumber
    const used = Number.isFinite(given) ? clamp(given, -bound, bound, label, report) : value
    if (!Number.isFinite(given)) { report.push(`${label}: not a number; it stays ${value}.`) }
    if (report.length) { say(report.join(" ")) }
    field.value = String(used)
    set(used)
  })
  return field
}

export function drawTables() {
  const focused = document.activeElement?.closest("[data-key]")?.getAttribute("data-key")
  drawDirections()
  drawTokenTable()
  drawStartTable()
  drawChosen()
  syncFields()
  const again = /** @type {HTMLElement | null} */ (focused && document.querySelector(`[data-key="${focused}"]`))
  again?.focus()
}

/**
 * Return a picture of a token's mark.
 * @param {number} i
 * @param {boolean} best
 * @returns {SVGElement}
 */
function tokenMark(i, best) {
  return svgElement("svg", {viewBox: "-12 -12 24 24", class: "mark", "aria-hidden": "true"},
    svgElement("path", {d: markOutline(i, best, 7), fill: inputColor(i)}))
}

/** @param {number} i @param {number} t @returns {string} */
function tokenName(i, t) {
  return page.state.inputs.length > 1 ? `${i + 1}.${t + 1}` : String(t + 1)
}

function drawDirections() {
  const {targets, state, problem, head} = page
  const record = shownRecord()
  const rows = targets.map(({name, color, solution}, k) => {
    const held = solution.support.flatMap((is, at) =>
      (is ? [tokenName(Math.floor(at / problem.T), at % problem.T)] : [])).join(", ")
    const button = html("button", {type: "button", "aria-pressed": String(k === state.target && state.band),
      "aria-label": `Show the band of ${name}`, "data-key": `band-${k}`}, "Band")
    button.addEventListener("click", () => {
      Object.assign(state, {band: !(state.band && state.target === k), target: k})
      refresh("tables")
    })
    return html("tr", {className: k === state.target && state.band ? "chosen" : ""},
      html("th", {scope: "row"}, html("span", {className: "swatch", style: `border-color: ${color}`}), name),
      html("td", {}, [...solution.selected].map((t, i) => tokenName(i, t)).join(", ")),
      html("td", {className: "number"}, show(1 / solution.norm)),
      html("td", {}, held || "–"),
      html("td", {className: "number"}, page.curves ? show(page.curves.cosines[k][record], 4) : "–"),
      html("td", {}, button))
  })
  byId("directions").replaceChildren(...rows)
  const texts = []
  if (!targets.some(({name}) => name.startsWith("GMM"))) {
    texts.push("No single p puts the best token of every input first, so there is no globally-optimal direction.")
  } else if (state.joint) {
    texts.push("GMM, the max-margin direction, selects token 1 of every input. The relaxed SVM insists only on inputs that support the label SVM.")
  } else {
    texts.push("GMM, the globally-optimal max-margin direction, selects the tokens of the highest score. LMM, a " +
      "locally-optimal one, selects others; the rivals on the edge of its band score lower.")
  }
  if (state.joint) {
    texts.push(head ? `The label SVM of v points to ${show(Math.atan2(head[1], head[0]) * 180 / Math.PI)}°.`
      : "No v gives every label its sign, so there is no label SVM.")
  }
  byId("directions-text").textContent = texts.join(" ")
}

function drawTokenTable() {
  const {state} = page
  const best = bestTokens()
  byId("score-head").hidden = state.joint
  const rows = state.inputs.flatMap((tokens, i) => {
    const header = html("th", {colSpan: 4, scope: "colgroup"}, `Input ${i + 1} `)
    if (state.joint) {
      const label = html("select", {"aria-label": `Label of input ${i + 1}`, "data-key": `label-${i}`},
        html("option", {value: "1"}, "label +1"), html("option", {value: "-1"}, "label −1"))
      label.value = String(state.labels[i])
      label.addEventListener("change", () => {
        state.labels[i] = Number(label.value)
        problemChanged()
      })
      header.append(label)
    }
    const body = tokens.map((token, t) => {
      const cell = (/** @type {"x" | "y" | "score"} */ name, /** @type {number} */ bound) => {
        const field = numberField(`${name} of token ${t + 1} of input ${i + 1}`, token[name], bound, value => {
          state.inputs[i][t][name] = value
          problemChanged()
        })
        field.setAttribute("data-key", `token-${i}-${t}-${name}`)
        return html("td", {}, field)
      }
      return html("tr", {}, html("th", {scope: "row"}, tokenMark(i, best[i][t]), tokenName(i, t)),
        cell("x", COORDINATE), cell("y", COORDINATE), ...(state.joint ? [] : [cell("score", MAX_SCORE)]))
    })
    return state.inputs.length > 1 || state.joint ? [html("tr", {}, header), ...body] : body
  })
  byId("tokens").replaceChildren(...rows)
  buttonById("add-token").disabled = state.inputs[0].length >= MAX_TOKENS
  buttonById("add-input").disabled = state.inputs.length >= MAX_INPUTS
  buttonById("remove-input").disabled = state.inputs.length <= 1
}

function drawStartTable() {
  const {state} = page
  const row = (/** @type {string} */ name, /** @type {Point} */ point, /** @type {Node[]} */ first, /** @type {Node[]} */ last,
    /** @type {string} */ key) => html("tr", {}, html("th", {scope: "row"}, ...first),
    ...["x", "y"].map(axis => {
      const field = numberField(`${axis} of ${name}`, point[/** @type {"x" | "y"} */ (axis)], COORDINATE, value => {
        point[/** @type {"x" | "y"} */ (axis)] = value
        refresh("paths", "tables", "basins")
      })
      field.setAttribute("data-key", `${key}-${axis}`)
      return html("td", {}, field)
    }), html("td", {}, ...last))
  const rows = state.starts.map((point, k) => {
    const follow = html("input", {type: "radio", name: "focus", checked: k === state.focus, "data-key": `follow-${k}`})
    follow.addEventListener("change", () => {
      state.focus = k
      refresh("paths", "tables")
    })
    const remove = html("button", {type: "button", disabled: state.starts.length < 2, "aria-label": `Remove start ${k + 1}`,
      "data-key": `remove-start-${k}`}, "✕")
    remove.addEventListener("click", () => removeStart(k))
    const label = html("label", {className: "check"}, follow, `${k + 1}`, html("span", {className: "hidden"}, " follow its path"))
    return row(`start ${k + 1}`, point, [label], [remove], `start-${k}`)
  })
  if (state.joint) { rows.push(row("the start of v", state.v0, [document.createTextNode("v")], [], "v0")) }
  byId("starts").replaceChildren(...rows)
  buttonById("add-start").disabled = state.starts.length >= MAX_STARTS
}

/** @param {number} k */
function removeStart(k) {
  const {state} = page
  state.starts.splice(k, 1)
  if (state.focus > k || state.focus >= state.starts.length) { state.focus = Math.max(0, state.focus - 1) }
  refresh("paths", "tables")
}

function drawChosen() {
  const {chosen, state} = page
  byId("chosen-panel").hidden = !chosen
  if (!chosen) { return }
  const token = state.inputs[chosen.input][chosen.token]
  byId("chosen-title").textContent = `Token ${chosen.token + 1}` + (state.inputs.length > 1 ? ` of input ${chosen.input + 1}` : "")
  const set = (/** @type {string} */ id, /** @type {string} */ value) => {
    const field = inputById(id)
    if (document.activeElement !== field) { field.value = value }
  }
  set("chosen-x", String(token.x))
  set("chosen-y", String(token.y))
  set("chosen-score", String(token.score))
  const slider = inputById("chosen-slider")
  const reach = Math.abs(token.score) <= 2 ? 2 : MAX_SCORE
  slider.min = String(-reach)
  slider.max = String(reach)
  slider.value = String(token.score)
  slider.hidden = byId("chosen-score-label").hidden = state.joint
}
