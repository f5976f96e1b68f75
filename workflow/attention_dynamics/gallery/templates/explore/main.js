// Controls and copies, and the beginning.

import {ownAddress, readNow, writeNow} from "./address.js"
import {stepAt} from "./chart.js"
import {toPython, toYaml} from "./copy.js"
import {addToken, choose, fit, loadPreset, openTable, problemChanged, randomProblem, removeToken, round, zoom} from "./edit.js"
import {makeField, SHOW_FIELDS, TRAINING_FIELDS} from "./fields.js"
import {update} from "./frame.js"
import {say} from "./live.js"
import {byId, experimentInputs, html, inputById, page, plane, selectById, settingsOf, startAt, svgById} from "./page.js"
import {goTo, pause, play} from "./play.js"
import {listenToPlane} from "./pointer.js"
import {onFrame, refresh} from "./refresh.js"
import {listenToTabs} from "./snap_view.js"
import {clamp, consistent, COORDINATE, MAX_SCORE, MAX_STARTS, OWN, PROPS} from "./state.js"
import {drawTour, showTour, toggleTour} from "./tour.js"

/** @typedef {import("./copy.js").Experiment} Experiment */

/** @returns {Experiment} */
function experiment() {
  const {state} = page
  return {inputs: experimentInputs(state), joint: state.joint, settings: settingsOf(state), starts: state.starts.map(startAt),
    steps: state.steps}
}

/** Copy a text, and show it where it can be copied by hand. @param {string} text @param {string} what */
function copyText(text, what) {
  const area = /** @type {HTMLTextAreaElement} */ (byId("copied"))
  area.hidden = false
  area.value = text
  const done = () => say(`${what} is in the clipboard, and below.`)
  const failed = () => {
    area.select()
    say(`${what} is below, and selected.`)
  }
  if (navigator.clipboard) { navigator.clipboard.writeText(text).then(done, failed) } else { failed() }
}

function saveSvg() {
  const address = URL.createObjectURL(new Blob([plane.toSvgFile()], {type: "image/svg+xml"}))
  html("a", {href: address, download: "attention.svg"}).click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

function listenToControls() {
  const click = (/** @type {string} */ id, /** @type {() => void} */ act) => byId(id).addEventListener("click", act)
  click("play", () => (page.playing ? pause() : play()))
  click("to-start", () => goTo(0))
  click("one-step", () => goTo(page.state.step + 1))
  const range = inputById("step")
  range.addEventListener("input", () => goTo(range.valueAsNumber))
  click("zoom-in", () => zoom(1 / 1.25))
  click("zoom-out", () => zoom(1.25))
  click("zoom-fit", fit)
  click("random", randomProblem)
  click("add-token", () => addToken(page.chosen?.input ?? 0, {x: page.state.x + 0.5, y: page.state.y - 0.5}))
  click("add-input", () => {
    const {state} = page
    state.inputs.push(state.inputs[0].map(({x, y, score}) => ({x: round(x + 0.3), y: round(y - 0.3), score})))
    state.labels.push(1)
    problemChanged()
  })
  click("remove-input", () => {
    const {state} = page
    if (state.inputs.length > 1) {
      state.inputs.pop()
      page.chosen = null
      consistent(state)
      problemChanged()
    }
  })
  click("add-start", () => {
    const {state} = page
    if (state.starts.length < MAX_STARTS) {
      state.starts.push({x: round(state.x), y: round(state.y)})
      state.focus = state.starts.length - 1
      refresh("paths", "tables")
    }
  })
  const table = inputById("table")
  table.addEventListener("change", () => { for (const file of table.files ?? []) { openTable(file) } })
  // If the value stayed, choosing the same file again, after an edit, would not be a change.
  table.addEventListener("click", () => { table.value = "" })
  click("copy-link", () => {
    writeNow()
    copyText(location.href, "The link")
  })
  click("copy-yaml", () => copyText(toYaml(experiment(), "ext_mine"), "The YAML"))
  click("copy-python", () => copyText(toPython(experiment()), "The program"))
  click("save-svg", saveSvg)
  click("report-close", () => { byId("report").hidden = true })
  click("tour-back", () => showTour(page.tour - 1))
  click("tour-next", () => showTour(page.tour + 1))
  click("tour-close", toggleTour)
  click("chosen-done", () => choose(null))
  click("chosen-remove", () => { if (page.chosen) { removeToken(page.chosen.token) } })
  for (const [id, name] of [["chosen-x", "x"], ["chosen-y", "y"], ["chosen-score", "score"], ["chosen-slider", "score"]]) {
    const field = inputById(id)
    field.addEventListener(id === "chosen-slider" ? "input" : "change", () => {
      if (!page.chosen || !Number.isFinite(field.valueAsNumber)) { return }
      /** @type {string[]} */
      const report = []
      const bound = name === "score" ? MAX_SCORE : COORDINATE
      const value = clamp(field.valueAsNumber, -bound, bound, name, report)
      Object.assign(page.state.inputs[page.chosen.input][page.chosen.token], {[name]: value})
      if (report.length) { say(report.join(" ")) }
      problemChanged()
    })
  }
  for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[name=tool]"))) {
    radio.addEventListener("change", () => {
      page.tool = radio.value
      choose(null)
    })
  }
  const select = selectById("preset")
  select.append(...(PROPS.preset.options ?? []).map(([value, text]) => html("option", {value}, text)))
  select.addEventListener("change", () => {
    if (select.value === OWN) { refresh("tables") } else { loadPreset(select.value) }
  })
  for (const name of ["attention", "cosine", "norm", "loss"]) {
    const svg = svgById(`curve-${name}`)
    const move = (/** @type {PointerEvent} */ event) => goTo(stepAt(svg, event.clientX, page.state.steps))
    svg.addEventListener("pointerdown", event => {
      svg.setPointerCapture(event.pointerId)
      move(event)
    })
    svg.addEventListener("pointermove", event => { if (svg.hasPointerCapture(event.pointerId)) { move(event) } })
  }
  byId("training-fields").append(...TRAINING_FIELDS.map(makeField))
  byId("show-fields").append(...SHOW_FIELDS.map(makeField))
}

function begin() {
  onFrame(update)
  listenToPlane()
  listenToControls()
  listenToTabs()
  drawTour()
  if (location.hash) {
    readNow()
    toggleTour()
  } else {
    showTour(0)
  }
  addEventListener("hashchange", () => { if (location.hash.slice(1) !== ownAddress) { readNow() } })
  new ResizeObserver(() => refresh()).observe(plane.svg)
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => refresh())
}

begin()
