// What screen readers say.

import {show} from "./marks.js"
import {byId, page, shownRecord} from "./page.js"

const LIVE_DELAY_MS = 600

let liveTimer = 0

/** @param {string} text */
export function say(text) {
  clearTimeout(liveTimer)
  byId("live").textContent = text
}

/** Say, after a delay, which directions and which p a change has led to. */
export function sayOutcome() {
  clearTimeout(liveTimer)
  liveTimer = setTimeout(() => {
    const {targets, state, curves: values} = page
    const parts = targets.map(({name, solution}) =>
      `${name} at ${Math.round(Math.atan2(solution.direction[1], solution.direction[0]) * 180 / Math.PI)} degrees, margin ` +
      show(1 / solution.norm))
    if (values) {
      const record = shownRecord()
      const nearest = targets.map(({name}, k) => ({name, cosine: values.cosines[k][record]}))
        .reduce((a, b) => (b.cosine > a.cosine ? b : a), {name: "", cosine: -1})
      parts.push(`at step ${state.step} p has length ${show(values.normP[record])}` +
        (nearest.name ? ` and cosine ${show(nearest.cosine)} with ${nearest.name}` : ""))
    }
    byId("live").textContent = `${parts.join("; ")}.`
  }, LIVE_DELAY_MS)
}
