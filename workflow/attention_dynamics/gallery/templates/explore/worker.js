// The basins of the directions, from coarse to fine. It runs in a worker behind the text of training.js.

import {basins, makeProblem} from "./training.js"

/**
 * A question: which direction each start of a grid reaches. A newer question replaces it.
 * @typedef {object} BasinQuestion
 * @property {number} run number of the question, which its answers carry
 * @property {boolean} [stop] only stop the work; the other fields are then missing
 * @property {{tokens: number[][], scores: number[], label: number}[]} inputs
 * @property {boolean} joint
 * @property {import("./training.js").Settings} settings
 * @property {[number, number]} x
 * @property {[number, number]} y
 * @property {number[][]} directions
 * @property {number} steps
 * @property {number[]} [v]
 */

/**
 * An answer.
 * @typedef {object} BasinAnswer
 * @property {number} run
 * @property {import("./view.js").BasinMap} map
 * @property {boolean} done whether no finer one follows
 */

const LEVELS = [12, 24, 48, 96]
const SLICE_MS = 24

let newestRun = -1

/**
 * Answer a question level by level. Between slices of a level the worker looks whether a newer question has come.
 * @param {BasinQuestion} question
 */
async function answerBasins(question) {
  const problem = makeProblem(question.inputs, question.joint)
  for (const count of LEVELS) {
    const grid = {x: question.x, y: question.y, columns: count, rows: count}
    const values = new Int16Array(count * count)
    let first = 0
    let size = 8
    while (first < values.length) {
      const began = performance.now()
      const piece = Math.min(size, values.length - first)
      values.set(basins(problem, question.settings, grid, question.directions, question.steps,
        {first, count: piece, v: question.v}), first)
      first += piece
      size = Math.max(1, Math.round(piece * SLICE_MS / Math.max(0.5, performance.now() - began)))
      await new Promise(resume => setTimeout(resume))
      if (question.run !== newestRun) { return }
    }
    postMessage({run: question.run, map: {...grid, values}, done: count === LEVELS[LEVELS.length - 1]})
  }
}

addEventListener("message", event => {
  newestRun = event.data.run
  if (!event.data.stop) { answerBasins(event.data) }
})
