// The introduction.

import {replaceState} from "./edit.js"
import {buttonById, byId, page} from "./page.js"
import {goTo, play, reducedMotion} from "./play.js"
import {consistent, defaultState, FIRST} from "./state.js"
import {TOUR} from "./texts.js"

const narrow = matchMedia("(max-width: 62rem)")

/** Show a step of the introduction. @param {number} at */
export function showTour(at) {
  page.tour = Math.max(0, Math.min(TOUR.length - 1, at))
  const step = TOUR[page.tour]
  const sameProblem = page.state.preset === FIRST
  const {inputs} = page.state
  replaceState(consistent({...defaultState(), ...structuredClone(step.show), ...(sameProblem ? {inputs} : {})}))
  drawTour()
  // On a narrow screen the plane is below the text: show as much of both as fits.
  if (narrow.matches && at > 0) { byId("tour").scrollIntoView({block: "start"}) }
  if (step.play && !reducedMotion.matches) {
    play()
  } else if (step.play) {
    goTo(page.state.steps)
  }
}

export function drawTour() {
  const step = TOUR[page.tour]
  byId("tour-title").textContent = step.title
  byId("tour-count").textContent = `${page.tour + 1} of ${TOUR.length}`
  byId("tour-text").innerHTML = step.text
  buttonById("tour-back").disabled = page.tour === 0
  byId("tour-next").hidden = page.tour === TOUR.length - 1
}

export function toggleTour() {
  const tour = byId("tour")
  const closed = tour.classList.toggle("done")
  for (const id of ["tour-back", "tour-next", "tour-text", "tour-count", "tour-title"]) { byId(id).hidden = closed }
  byId("tour-close").textContent = closed ? "Show the introduction" : "Close"
  if (!closed) { drawTour() }
}
