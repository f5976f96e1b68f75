// How attention to the tokens of two classes grows and freezes (Scan and snap). Pure functions, as in training.js.
//
// Each class has three distinct tokens; a fourth token is common to both classes. Both have the same query token. The
// equations are those of the library's modules theory.token_dynamics and theory.growth_laws.

/**
 * @typedef {object} SnapSettings
 * @property {number} etaY learning rate of the decoder
 * @property {number} etaZ learning rate of the attention logits
 * @property {number} common probability of the common token
 * @property {number} vocabulary number M of tokens that the decoder tells apart
 */

/**
 * A solution. Token 0 is the common one; tokens 1 to 3 are those of class 1, the most frequent first.
 * @typedef {object} SnapFlow
 * @property {Float64Array} times
 * @property {number} scanned end of the scanning phase, K ln M / eta_Y
 * @property {number} frozen begin of the snapping phase, t_0 of Theorem 4
 * @property {number} frozenRecord first record in the snapping phase
 * @property {Float64Array[]} contributions c_l|1 of each token, (4) of (records)
 * @property {Float64Array[]} predicted contributions of tokens 2 and 3, by Theorem 3 from the growth of token 1 alone
 * @property {Float64Array} growth log of chi of token 1
 * @property {Float64Array} lower lower bound of growth by Theorem 3
 * @property {Float64Array} upper upper bound of growth by Theorem 3
 * @property {Float64Array} signal gamma of Theorem 1
 */

export const DISTINCT_SHARES = [0.5, 0.3, 0.2]
const CLASSES = 2
const BETA = 0.1
const SNAP_RECORDS = 240
// The times of the solution are from FIRST_TIME to LAST_TIME, in units of t_0.
const FIRST_TIME = 0.01
const LAST_TIME = 300
const MAX_LOGIT_STEP = 0.2

/**
 * Return h, the root of e^(M h) + (M - 1) M h = M eta_Y t + 1 (eq. 45).
 * @param {number} t
 * @param {number} etaY
 * @param {number} M
 * @returns {number}
 */
export function decoderLogit(t, etaY, M) {
  const total = M * etaY * t
  // From any point above the root, Newton's iterates decrease until rounding errors dominate.
  let x = Math.min(total / M, Math.log1p(total))
  for (;;) {
    const next = x - (Math.expm1(x) + (M - 1) * x - total) / (Math.exp(x) + M - 1)
    if (!(next < x)) { return x / M }
    x = next
  }
}

/**
 * Return gamma of Theorem 1, the size of the decoder's signal to the attention, after t steps on alternating classes.
 * @param {number} t
 * @param {SnapSettings} settings
 * @returns {number}
 */
export function decoderSignal(t, {etaY, vocabulary: M}) {
  const h = decoderLogit(t / CLASSES, etaY, M)
  return (M - 1) ** 2 * h / (M - 1 + Math.exp(M * h))
}

/**
 * Return t_0 of Theorem 4, 2 (1 + omega) K ln M / eta_Y, with M^omega = (1 + omega) ln M (M - 1) / M (Lemma 8).
 * @param {SnapSettings} settings
 * @returns {number}
 */
export function freezingTime({etaY, vocabulary: M}) {
  let omega = 0.4
  for (let k = 0; k < 200; k++) { omega = Math.log((1 + omega) * Math.log(M) * (M - 1) / M) / Math.log(M) }
  return 2 * (1 + omega) * CLASSES * Math.log(M) / etaY
}

/**
 * Solve eq. 10 from z = 0 with the classical Runge-Kutta method.
 *
 * The classes are mirror images of each other, so only class 1 is computed. Vectors have the common token first.
 * @param {SnapSettings} settings
 * @returns {SnapFlow}
 */
export function solveSnap(settings) {
  const P = [settings.common, ...DISTINCT_SHARES.map(share => share * (1 - settings.common))]
  const frozen = freezingTime(settings)
  const times = Float64Array.from({length: SNAP_RECORDS},
    (_, k) => frozen * FIRST_TIME * (LAST_TIME / FIRST_TIME) ** (k / (SNAP_RECORDS - 1)))
  const empty = () => new Float64Array(SNAP_RECORDS)
  const flow = {times, scanned: CLASSES * Math.log(settings.vocabulary) / settings.etaY, frozen,
    frozenRecord: times.findIndex(t => t >= frozen), contributions: P.map(empty), predicted: [empty(), empty()],
    growth: empty(), lower: empty(), upper: empty(), signal: empty()}
  const start = attendedTokens(P, [0, 0, 0, 0])
  let state = [0, 0, 0, 0, 0]
  let t = 0
  times.forEach((time, k) => {
    state = advanceSnap(P, settings, state, t, time)
    t = time
    const f = attendedTokens(P, state)
    const sum = f.reduce((a, b) => a + b)
    f.forEach((value, l) => { flow.contributions[l][k] = value / sum })
    flow.growth[k] = 2 * state[1]
    flow.predicted.forEach((values, j) => {
      const excess = (P[1] / P[2 + j]) ** 2 - 1
      values[k] = flow.contributions[1][k] / Math.sqrt(1 + excess * Math.exp(flow.growth[k]))
    })
    flow.lower[k] = 2 * start[1] ** 2 * state[4]
    flow.upper[k] = 2 * state[4]
    flow.signal[k] = decoderSignal(time, settings)
  })
  return flow
}

/**
 * Return f, the tokens' contributions to a class as a vector of length 1 (eqs. 5 and 7).
 * @param {number[]} P
 * @param {number[]} z
 * @returns {number[]}
 */
function attendedTokens(P, z) {
  const top = Math.max(...P.map((_, l) => z[l]))
  const weights = P.map((p, l) => p * Math.exp(z[l] - top))
  const length = Math.hypot(...weights)
  return weights.map(weight => weight / length)
}

/**
 * Return the logits of the four tokens, and the exponent B, at a later time.
 * @param {number[]} P
 * @param {SnapSettings} settings
 * @param {number[]} state
 * @param {number} from
 * @param {number} to
 * @returns {number[]}
 */
function advanceSnap(P, settings, state, from, to) {
  const {etaZ} = settings
  const rates = (/** @type {number} */ t, /** @type {number[]} */ at) => {
    const f = attendedTokens(P, at)
    const gamma = etaZ * BETA * decoderSignal(t, settings)
    // The other class pushes with its f, of which only the common token overlaps; both classes move that token.
    const overlap = f[0] * f[0]
    return [2 * gamma * f[0] * f[0] * (overlap - 1), ...f.slice(1).map(value => gamma * value * value * overlap), gamma * overlap]
  }
  const largest = etaZ * BETA * Math.max(decoderSignal(from, settings), decoderSignal(to, settings))
  const count = Math.max(2, Math.ceil((to - from) * largest / MAX_LOGIT_STEP))
  const step = (to - from) / count
  const plus = (/** @type {number[]} */ a, /** @type {number} */ s, /** @type {number[]} */ b) => a.map((x, i) => x + s * b[i])
  let now = state
  for (let k = 0; k < count; k++) {
    const t = from + k * step
    const a = rates(t, now)
    const b = rates(t + step / 2, plus(now, step / 2, a))
    const c = rates(t + step / 2, plus(now, step / 2, b))
    const d = rates(t + step, plus(now, step, c))
    now = now.map((x, i) => x + step / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]))
  }
  return now
}
