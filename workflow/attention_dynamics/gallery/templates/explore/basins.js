// The basins of attraction of the directions, computed by a worker.

import {byId, experimentInputs, page, plane, settingsOf} from "./page.js"

const MAX_BASIN_STEPS = 2000

/** @type {import("./view.js").BasinMap | null} */
export let basinMap = null
let basinRun = 0
/** @type {Worker | null} */
let basinWorker = null

export function askBasins() {
  const {state, targets} = page
  basinRun++
  if (!state.basins || !page.path || !targets.length) {
    basinWorker?.postMessage({run: basinRun, stop: true})
    basinMap = null
    byId("basins-text").textContent = ""
    return
  }
  if (!basinWorker) {
    const text = `${byId("training").textContent}\n${byId("worker").textContent}`
    basinWorker = new Worker(URL.createObjectURL(new Blob([text], {type: "text/javascript"})))
    basinWorker.addEventListener("message", event => showBasins(event.data))
  }
  basinWorker.postMessage({
    run: basinRun, inputs: experimentInputs(state), joint: state.joint, settings: settingsOf(state),
    x: [state.x - state.span, state.x + state.span], y: [state.y - state.span, state.y + state.span],
    directions: targets.map(({solution}) => [...solution.direction]), steps: Math.min(state.steps, MAX_BASIN_STEPS),
    v: state.joint ? [state.v0.x, state.v0.y] : undefined,
  })
}

/** @param {import("./worker.js").BasinAnswer} answer */
function showBasins({run, map, done}) {
  if (run !== basinRun || !page.state.basins) { return }
  basinMap = map
  plane.drawBasins(map, page.targets)
  const counts = page.targets.map(() => 0)
  let none = 0
  for (const value of Array.from(map.values)) { if (value < 0) { none++ } else { counts[value]++ } }
  const percent = (/** @type {number} */ count) => `${Math.round(100 * count / map.values.length)} %`
  const parts = page.targets.map(({name}, k) => `${percent(counts[k])} end at ${name}`)
  if (none) { parts.push(`${percent(none)} at none within ${Math.min(page.state.steps, MAX_BASIN_STEPS)} steps`) }
  byId("basins-text").textContent = done ? `Of the starts in view, ${parts.join(", ")}.` : "The basins are being computed."
}
