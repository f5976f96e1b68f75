// The page's state in the part of its address behind #.

import {loadPreset, replaceState} from "./edit.js"
import {page, presets, showReport} from "./page.js"
import {readAddress, writeAddress} from "./state.js"

const ADDRESS_DELAY_MS = 300

let addressTimer = 0
export let ownAddress = ""

export function writeSoon() {
  if (addressTimer) { return }
  addressTimer = setTimeout(() => {
    addressTimer = 0
    if (page.playing) {
      writeSoon()
      return
    }
    writeNow()
  }, ADDRESS_DELAY_MS)
}

export function writeNow() {
  ownAddress = writeAddress(page.state)
  history.replaceState(null, "", ownAddress ? `#${ownAddress}` : location.pathname + location.search)
}

/** Take the state from the address, and report what was wrong with it. An example alone, preset=fig1a, is loaded. */
export function readNow() {
  const {state, report} = readAddress(location.hash)
  const named = presets.some(({name}) => name === state.preset)
  if (named && !location.hash.includes("inputs=")) { loadPreset(state.preset) } else { replaceState(state) }
  showReport("Some of the address was changed", report)
}
