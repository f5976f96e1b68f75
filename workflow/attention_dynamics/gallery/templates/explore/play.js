// Time: play, pause and steps.

import {sayOutcome} from "./live.js"
import {page} from "./page.js"
import {refresh} from "./refresh.js"

const REDUCED_MOTION_FRAMES_PER_S = 3

export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)")

let lastFrameMs = 0

/** @param {number} now milliseconds */
export function advanceTime(now) {
  const {state} = page
  const interval = reducedMotion.matches ? 1000 / REDUCED_MOTION_FRAMES_PER_S : 0
  if (!lastFrameMs) { lastFrameMs = now }
  const passed = now - lastFrameMs
  if (passed < interval) { return }
  const steps = Math.floor(page.owed + Math.min(passed, Math.max(100, interval)) * state.speed / 1000)
  page.owed += Math.min(passed, Math.max(100, interval)) * state.speed / 1000 - steps
  lastFrameMs = now
  state.step = Math.min(state.steps, state.step + steps)
  if (state.step >= state.steps) { pause() }
}

export function play() {
  if (page.state.step >= page.state.steps) { page.state.step = 0 }
  lastFrameMs = 0
  page.owed = 0
  page.playing = true
  refresh()
}

export function pause() {
  if (!page.playing) { return }
  page.playing = false
  refresh("tables")
  sayOutcome()
}

/** @param {number} step */
export function goTo(step) {
  page.state.step = Math.max(0, Math.min(page.state.steps, step))
  refresh("tables")
}
