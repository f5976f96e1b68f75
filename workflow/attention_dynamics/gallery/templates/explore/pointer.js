// Pointers, taps and keys in the plane.

import {addToken, choose, fit, moveStart, moveToken, removeToken, zoom} from "./edit.js"
import {sayOutcome} from "./live.js"
import {page, plane} from "./page.js"
import {pause, play} from "./play.js"
import {refresh} from "./refresh.js"

/** @typedef {import("./state.js").Point} Point */

const TAP_PIXELS = 5

/** Let pointers move tokens and the start, choose tokens, and tap the plane. */
export function listenToPlane() {
  const {svg} = plane
  /** @type {{element: Element, x: number, y: number, moved: boolean} | null} */
  let press = null
  // Whether a drag has just ended: the click that follows a drag by mouse, but not by touch, is ignored.
  let dragged = false
  svg.addEventListener("pointerdown", event => {
    if (!event.isPrimary) { return }
    dragged = false
    const element = /** @type {Element} */ (event.target).closest(".token, .start")
    if (!element || event.button || page.tool === "remove" || page.tool === "add") { return }
    press = {element, x: event.clientX, y: event.clientY, moved: false}
    element.setPointerCapture(event.pointerId)
  })
  svg.addEventListener("pointermove", event => {
    if (!press || !event.isPrimary) { return }
    press.moved ||= Math.hypot(event.clientX - press.x, event.clientY - press.y) > TAP_PIXELS
    if (!press.moved) { return }
    page.dragging = true
    moveElement(press.element, plane.pointAt(event.clientX, event.clientY))
  })
  const release = (/** @type {PointerEvent} */ event) => {
    if (!press || !event.isPrimary) { return }
    if (press.moved) { dragged = true }
    press = null
    if (page.dragging) {
      page.dragging = false
      refresh("paths", "tables", "basins")
      sayOutcome()
    }
  }
  svg.addEventListener("pointerup", release)
  svg.addEventListener("pointercancel", release)
  svg.addEventListener("click", event => {
    if (dragged) {
      dragged = false
      return
    }
    tap(/** @type {Element} */ (event.target), plane.pointAt(event.clientX, event.clientY))
  })
  svg.addEventListener("keydown", planeKey)
}

/**
 * Return which token an element shows; null for the start, and for a token that is gone since the last frame.
 * @param {Element} element
 * @returns {{input: number, token: number} | null}
 */
function tokenOf(element) {
  const input = element.getAttribute("data-input")
  const token = Number(element.getAttribute("data-token"))
  return input !== null && page.state.inputs[Number(input)]?.[token] ? {input: Number(input), token} : null
}

/** @param {Element} element @param {Point} point */
function moveElement(element, point) {
  const token = tokenOf(element)
  if (token) { moveToken(token.input, token.token, point) } else if (element === plane.start) { moveStart(point) }
}

/** @param {Element} target @param {Point} point */
function tap(target, point) {
  const element = target.closest(".token")
  const token = element && tokenOf(element)
  const {chosen, tool, state} = page
  const ray = target.getAttribute("data-target")
  if (tool === "remove") {
    if (token) { removeToken(token.token) }
  } else if (tool === "add") {
    addToken(chosen?.input ?? token?.input ?? 0, point)
  } else if (tool === "start") {
    moveStart(point)
    sayOutcome()
  } else if (token) {
    choose(chosen?.input === token.input && chosen.token === token.token ? null : token)
  } else if (chosen) {
    moveToken(chosen.input, chosen.token, point)
    choose(null)
    sayOutcome()
  } else if (ray !== null && Number(ray) >= 0) {
    Object.assign(state, {target: Number(ray), band: true})
    refresh("tables")
  } else {
    moveStart(point)
    sayOutcome()
  }
}

/** @param {KeyboardEvent} event */
function planeKey(event) {
  const element = /** @type {Element} */ (event.target).closest(".token, .start")
  const token = element && tokenOf(element)
  const arrows = /** @type {Record<string, [number, number]>} */ (
    {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]})
  const {state} = page
  const arrow = arrows[event.key]
  if (arrow && element) {
    const length = event.shiftKey ? 0.01 : 0.1
    const at = token ? state.inputs[token.input][token.token] : state.starts[state.focus]
    moveElement(element, {x: at.x + length * arrow[0], y: at.y + length * arrow[1]})
    sayOutcome()
  } else if (event.key === " ") {
    if (page.playing) { pause() } else { play() }
  } else if (event.key === "Enter" && token) {
    tap(/** @type {Element} */ (element), state.inputs[token.input][token.token])
  } else if ((event.key === "Delete" || event.key === "Backspace") && token) {
    removeToken(token.token)
    // The focus was on the removed token, so it is moved to the one that takes its place.
    requestAnimationFrame(() => plane.tokens[token.input][Math.min(token.token, state.inputs[0].length - 1)]?.focus())
  } else if (event.key === "+" || event.key === "=") {
    zoom(1 / 1.25)
  } else if (event.key === "-") {
    zoom(1.25)
  } else if (event.key === "0") {
    fit()
  } else if (event.key === "Escape") {
    choose(null)
  } else {
    return
  }
  event.preventDefault()
}
