// The update of a frame: everything that is out of date is computed and drawn anew.

import {writeSoon} from "./address.js"
import {askBasins, basinMap} from "./basins.js"
import {findDirections, findPaths} from "./compute.js"
import {observe} from "./training.js"
import {bestTokens, byId, inputById, page, plane, shownRecord} from "./page.js"
import {drawPanels} from "./panels.js"
import {advanceTime, pause} from "./play.js"
import {refresh} from "./refresh.js"
import {drawSnap, drawTabs} from "./snap_view.js"
import {drawTables} from "./tables.js"

const BASIN_INTERVAL_MS = 150

let lastQuestionMs = 0

/** Compute and draw what is out of date. @param {number} now milliseconds */
export function update(now) {
  const {stale} = page
  if (page.state.tab === "snap") { pause() }
  if (page.playing) { advanceTime(now) }
  const {chosen, state} = page
  if (chosen && !state.inputs[chosen.input]?.[chosen.token]) { page.chosen = null }
  if (stale.problem) { findDirections() }
  if (stale.paths) { findPaths() }
  if (stale.view) { drawScene() }
  if (stale.tables && !page.dragging) { drawTables() }
  const tooSoon = page.dragging && now - lastQuestionMs < BASIN_INTERVAL_MS
  if (stale.basins && !tooSoon) {
    lastQuestionMs = now
    askBasins()
  }
  if (stale.problem || stale.paths || stale.view) { writeSoon() }
  for (const name of /** @type {(keyof typeof stale)[]} */ (Object.keys(stale))) {
    const waits = (name === "tables" && page.dragging) || (name === "basins" && tooSoon)
    stale[name] = waits && stale[name]
  }
  if (page.playing) { refresh() }
}

function drawScene() {
  drawTabs()
  if (page.state.tab === "snap") {
    drawSnap()
    return
  }
  const {state, problem, path, targets} = page
  const record = shownRecord()
  const length = problem.n * problem.T
  const attention = page.curves ? page.curves.attention.subarray(record * length, (record + 1) * length)
    : observe(problem, state.loss, [0, 0], state.joint ? [0, 0] : null).attention
  plane.draw({
    state, targets, attention, path, record, playing: page.playing, chosen: page.chosen, others: page.others,
    shown: targets.length ? state.target : -1, best: bestTokens(), bandInput: bandInput(), regpath: page.regpath,
    head: page.head,
  })
  plane.drawBasins(state.basins ? basinMap : null, targets)
  drawPanels(record)
  const range = inputById("step")
  range.max = String(state.steps)
  range.value = String(state.step)
  byId("step-text").textContent = `step ${state.step} of ${state.steps}`
  const shape = state.joint ? "token 1 of each input has to be selected" : ""
  range.setAttribute("aria-valuetext", `step ${state.step} of ${state.steps} ${shape}`.trim())
  byId("play").textContent = page.playing ? "Pause" : "Play"
  byId("training-note").textContent = page.note
  byId("plane-note").textContent = hint()
}

/** @returns {number} input whose band is drawn: that of the chosen token, else the first with a support vector */
function bandInput() {
  const {targets, chosen, problem, state} = page
  if (chosen) { return chosen.input }
  const support = targets[state.target]?.solution.support ?? []
  return Math.max(0, Math.floor(support.indexOf(true) / problem.T))
}

/** @returns {string} */
function hint() {
  const {tool, chosen} = page
  if (tool === "add") { return "Tap where the new token goes" }
  if (tool === "remove") { return "Tap the token to remove" }
  if (tool === "start") { return "Tap where p starts" }
  return chosen ? `Tap where token ${chosen.token + 1} goes` : ""
}
