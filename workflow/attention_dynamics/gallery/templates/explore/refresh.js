// What has to be computed or drawn again in the next frame.

import {page} from "./page.js"

/** @type {((now: number) => void)[]} */
const frameListeners = []

/** Call a function in every frame that follows a change. @param {(now: number) => void} listener takes milliseconds */
export function onFrame(listener) {
  frameListeners.push(listener)
}

/** Note what has to be computed or drawn again, and do it in the next frame. @param {(keyof typeof page.stale)[]} what */
export function refresh(...what) {
  for (const name of what) { page.stale[name] = true }
  page.stale.view = true
  if (!page.frame) { page.frame = requestAnimationFrame(callFrameListeners) }
}

/** @param {number} now milliseconds */
function callFrameListeners(now) {
  page.frame = 0
  for (const listener of frameListeners) { listener(now) }
}
