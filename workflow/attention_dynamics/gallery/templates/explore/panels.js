// Curves of attention, cosines, lengths and loss.

import {drawCurves} from "./chart.js"
import {directionColor, inputColor, powerOfTen, show} from "./marks.js"
import {bestTokens, byId, page, svgById} from "./page.js"

/** @param {number} record */
export function drawPanels(record) {
  const {state, curves: values, problem, targets} = page
  const panels = ["attention", "cosine", "norm", "loss"]
  if (!values) {
    for (const name of panels) {
      byId(`curve-${name}`).replaceChildren()
      byId(`value-${name}`).textContent = ""
    }
    return
  }
  const axes = {steps: state.steps, every: page.every, record}
  const unit = /** @type {[number, string][]} */ ([[0, "0"], [0.5, "0.5"], [1, "1"]])
  const count = values.normP.length
  const best = bestTokens()
  const share = (/** @type {number} */ i, /** @type {number} */ t) =>
    Float64Array.from({length: count}, (_, k) => values.attention[(k * problem.n + i) * problem.T + t])
  /** @type {import("./chart.js").CurveLine[]} */
  const shares = []
  if (problem.n === 1) {
    best[0].forEach((isBest, t) => shares.push({values: share(0, t), color: isBest ? inputColor(0) : "var(--path)",
      width: isBest ? 2.6 : 1.6, dash: isBest ? "none" : ["4 3", "1 3", "7 3 1 3"][t % 3]}))
  } else {
    best.forEach((row, i) => {
      const columns = row.flatMap((isBest, t) => (isBest ? [share(i, t)] : []))
      shares.push({values: columns[0].map((_, k) => columns.reduce((sum, column) => sum + column[k], 0)),
        color: inputColor(i), width: 2})
    })
  }
  byId("value-attention").textContent = `best ${problem.n > 1 ? "tokens, mean" : "token"} ` +
    show(problem.scores ? bestShare(values, best, record) : values.optimalProbability[record])
  drawCurves(svgById("curve-attention"), shares, {...axes, low: 0, high: 1, ticks: unit})

  byId("value-cosine").textContent = !state.rays ? "directions, which are hidden" :
    targets.slice(0, 3).map(({name}, k) => `${name} ${show(values.cosines[k][record])}`).join(", ") || "no direction"
  drawCurves(svgById("curve-cosine"), (state.rays ? targets : []).map(({color}, k) => ({values: values.cosines[k], color})),
    {...axes, low: -1, high: 1, ticks: [[-1, "−1"], [0, "0"], [1, "1"]]})

  const lengths = [{values: values.normP, color: "var(--ink)"}]
  if (state.joint) { lengths.push({values: values.normV, color: directionColor(1)}) }
  const longest = niceCeiling(lengths.flatMap(({values: v}) => [...v]).reduce((a, b) => (b > a ? b : a), 0))
  byId("value-norm").textContent = `p ${show(values.normP[record])}` +
    (state.joint ? `, v ${show(values.normV[record])}` : "")
  drawCurves(svgById("curve-norm"), lengths,
    {...axes, low: 0, high: longest, ticks: [[0, "0"], [longest / 2, show(longest / 2)], [longest, show(longest)]]})
  drawLoss(values, axes)
}

/**
 * Return the mean attention on the tokens of the highest score, over the inputs.
 * @param {import("./training.js").Curves} values
 * @param {boolean[][]} best
 * @param {number} record
 * @returns {number}
 */
function bestShare(values, best, record) {
  const {n, T} = page.problem
  let sum = 0
  best.forEach((row, i) => row.forEach((isBest, t) => {
    if (isBest) { sum += values.attention[(record * n + i) * T + t] }
  }))
  return sum / n
}

/** @param {number} value @returns {number} the next round number */
function niceCeiling(value) {
  if (!(value > 0) || !Number.isFinite(value)) { return 1 }
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 1.5, 2, 3, 4, 5, 6, 8].find(k => k * power >= value) ?? 10)
}

/**
 * Draw the loss minus its infimum on a logarithmic scale, or the loss itself if it has no infimum.
 * @param {import("./training.js").Curves} values
 * @param {{steps: number, every: number, record: number}} axes
 */
function drawLoss(values, axes) {
  const hasGap = values.logGap.some(Number.isFinite)
  const shown = hasGap ? values.logGap.map(gap => gap / Math.LN10) : values.loss
  const finite = [...shown].filter(Number.isFinite)
  const [least, most] = [finite.reduce((a, b) => Math.min(a, b), Infinity), finite.reduce((a, b) => Math.max(a, b), -Infinity)]
  let [low, high] = hasGap ? [Math.floor(least), Math.ceil(most + 1e-9)] : [least, most]
  if (!(high > low)) { [low, high] = [low - 1, low + 1] }
  const middle = hasGap ? Math.round((low + high) / 2) : (low + high) / 2
  const text = (/** @type {number} */ value) => (hasGap ? powerOfTen(value) : show(value))
  byId("title-loss").textContent = hasGap ? "Loss above its infimum" : "Loss"
  const value = shown[Math.min(axes.record, shown.length - 1)]
  byId("value-loss").textContent = !hasGap ? show(value) : value < -300 ? powerOfTen(Math.round(value)) : show(10 ** value, 2)
  const ticks = /** @type {[number, string][]} */ ([...new Set([low, middle, high])].map(tick => [tick, text(tick)]))
  drawCurves(svgById("curve-loss"), [{values: shown, color: "var(--ink)"}], {...axes, low, high, ticks})
}
