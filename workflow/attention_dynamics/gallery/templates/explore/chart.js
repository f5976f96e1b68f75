// Curves over the steps of a path.

import {setAttributes, svgElement} from "./marks.js"

const MAX_CURVE_POINTS = 400

/**
 * One line of a panel of curves.
 * @typedef {object} CurveLine
 * @property {ArrayLike<number>} values
 * @property {string} color
 * @property {string} [dash]
 * @property {number} [width]
 */

/**
 * Draw lines over the steps of a path, and a mark at the step shown. Records are `every` steps apart.
 * @param {SVGSVGElement} svg
 * @param {CurveLine[]} lines
 * @param {{steps: number, every: number, record: number, low: number, high: number, ticks: [number, string][],
 *   ends?: [string, string]}} axes
 */
export function drawCurves(svg, lines, {steps, every, record, low, high, ticks, ends = ["0", `step ${steps}`]}) {
  const [width, height] = [svg.clientWidth || 300, svg.clientHeight || 120]
  const [left, right, top, bottom] = [44, width - 8, 8, height - 18]
  const x = (/** @type {number} */ k) => left + (right - left) * Math.min(1, k * every / Math.max(1, steps))
  const y = (/** @type {number} */ value) =>
    bottom - (bottom - top) * Math.max(-0.02, Math.min(1.02, (value - low) / (high - low || 1)))
  const parts = ticks.flatMap(([value, text]) => [
    svgElement("line", {x1: left, x2: right, y1: y(value), y2: y(value), stroke: "var(--grid)"}),
    svgElement("text", {x: left - 5, y: y(value) + 4, "text-anchor": "end"}, text)])
  parts.push(svgElement("text", {x: left, y: height - 4}, ends[0]),
    svgElement("text", {x: right, y: height - 4, "text-anchor": "end"}, ends[1]))
  for (const {values, color, dash, width: stroke} of lines) {
    const stride = Math.max(1, Math.ceil(values.length / MAX_CURVE_POINTS))
    const points = []
    let pen = "M"
    for (let k = 0; k < values.length; k += stride) {
      if (Number.isFinite(values[k])) {
        points.push(`${pen}${x(k).toFixed(1)} ${y(values[k]).toFixed(1)}`)
        pen = "L"
      } else {
        pen = "M"
      }
    }
    parts.push(svgElement("path", {d: points.join(""), fill: "none", stroke: color, "stroke-width": stroke ?? 1.8,
      "stroke-dasharray": dash ?? "none"}))
  }
  parts.push(svgElement("line", {x1: x(record), x2: x(record), y1: top, y2: bottom, stroke: "var(--ink)",
    "stroke-width": 1, opacity: 0.6}))
  for (const {values, color} of lines) {
    const value = values[Math.min(record, values.length - 1)]
    if (Number.isFinite(value)) {
      parts.push(svgElement("circle", {cx: x(record), cy: y(value), r: 3.2, fill: color, stroke: "var(--paper)"}))
    }
  }
  setAttributes(svg, {viewBox: `0 0 ${width} ${height}`})
  svg.replaceChildren(...parts)
}

/**
 * Return the step at a place in a panel of curves.
 * @param {SVGSVGElement} svg
 * @param {number} clientX
 * @param {number} steps
 * @returns {number}
 */
export function stepAt(svg, clientX, steps) {
  const box = svg.getBoundingClientRect()
  const share = (clientX - box.left - 44) / (box.width - 52)
  return Math.round(steps * Math.max(0, Math.min(1, share)))
}
