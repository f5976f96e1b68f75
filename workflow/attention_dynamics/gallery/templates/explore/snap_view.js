// The second tab: attention to the tokens of a class, until it freezes.

import {drawCurves} from "./chart.js"
import {makeField} from "./fields.js"
import {show} from "./marks.js"
import {byId, page, svgById} from "./page.js"
import {refresh} from "./refresh.js"
import {solveSnap} from "./snap.js"

const SNAP_FIELDS = ["eta_Y", "eta_Z", "common"]
const VOCABULARY = 200
const PLANE_TITLE = byId("title").textContent
const TABS = /** @type {const} */ (["plane", "snap"])
const TOKEN_COLORS = ["var(--path)", "var(--i0)", "var(--i1)", "var(--i2)"]

/** Draw the curves of the second tab. */
export function drawSnap() {
  const {eta_Y: etaY, eta_Z: etaZ, common} = page.state
  const flow = solveSnap({etaY, etaZ, common, vocabulary: VOCABULARY})
  const last = flow.times.length - 1
  const axes = {steps: last, every: 1, record: flow.frozenRecord,
    ends: /** @type {[string, string]} */ ([`time ${show(flow.times[0], 2)}`, `time ${show(flow.times[last], 2)}`])}
  const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`
  drawCurves(svgById("snap-attention"), [
    ...flow.contributions.map((values, l) => ({values, color: TOKEN_COLORS[l], width: 2.4, dash: l ? "none" : "6 4"})),
    ...flow.predicted.map(values => ({values, color: "var(--ink)", width: 2.4, dash: "1 7"}))],
  {...axes, low: 0, high: 1, ticks: [[0, "0"], [0.5, "0.5"], [1, "1"]]})
  const [shared, ...distinct] = flow.contributions.map(values => percent(values[last]))
  byId("snap-attention-value").textContent = `at the end: common ${shared}, distinct ${distinct.join(", ")}`
  const most = Math.max(flow.upper[last], 0.01)
  drawCurves(svgById("snap-growth"), [
    {values: flow.lower, color: "var(--path)", dash: "5 4"}, {values: flow.upper, color: "var(--path)", dash: "5 4"},
    {values: flow.growth, color: "var(--i0)", width: 2.6}],
  {...axes, low: 0, high: most, ticks: [[0, "1"], [most / 2, show(Math.exp(most / 2), 2)], [most, show(Math.exp(most), 2)]]})
  byId("snap-growth-value").textContent = `${show(Math.exp(flow.growth[flow.frozenRecord]))} at time ` +
    `${show(flow.frozen)}, ${show(Math.exp(flow.growth[last]))} at time ${show(flow.times[last])}`
  const peak = Math.max(...flow.signal)
  drawCurves(svgById("snap-signal"), [{values: flow.signal, color: "var(--ink)"}],
    {...axes, low: 0, high: peak, ticks: [[0, "0"], [peak, show(peak, 2)]]})
  byId("snap-signal-value").textContent = `scanning until ${show(flow.scanned)}, snapping from ${show(flow.frozen)}`
}

/** Show the tab that the state names, under its own title. */
export function drawTabs() {
  const title = page.state.tab === "snap" ? byId("snap-title").textContent : PLANE_TITLE
  if (byId("title").textContent !== title) { byId("title").textContent = title }
  byId("lede").hidden = page.state.tab === "snap"
  for (const name of TABS) {
    const chosen = page.state.tab === name
    byId(`tab-${name}`).setAttribute("aria-selected", String(chosen))
    byId(`tab-${name}`).tabIndex = chosen ? 0 : -1
    byId(`panel-${name}`).hidden = !chosen
  }
}

/** Make the tabs and the fields of the second one. */
export function listenToTabs() {
  byId("snap-fields").append(...SNAP_FIELDS.map(makeField))
  TABS.forEach((name, k) => {
    const choose = (/** @type {"plane" | "snap"} */ tab) => {
      page.state.tab = tab
      refresh("tables")
    }
    byId(`tab-${name}`).addEventListener("click", () => choose(name))
    byId(`tab-${name}`).addEventListener("keydown", event => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") { return }
      const other = TABS[1 - k]
      choose(other)
      byId(`tab-${other}`).focus()
      event.preventDefault()
    })
  })
}
