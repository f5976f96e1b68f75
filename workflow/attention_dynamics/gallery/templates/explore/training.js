// Training of attention in the plane, and its max-margin directions.
//
// Pure functions on plain objects and typed arrays: no imports, no document, no clock, no random numbers. The page, its
// worker and Node run the same text; in the page, gallery/explore.py removes the keyword `export`.
//
// The arithmetic is that of the library's modules attention, optim and margins: see their docstrings for sources.
// Points are pairs (x, y). Arrays of n inputs with T tokens are flat, input by input: token t of input i has the entry
// i * T + t, and the coordinates 2 * (i * T + t) and 2 * (i * T + t) + 1.

/**
 * @typedef {"gd"|"normalized_gd"|"polyak"|"momentum"|"nesterov"|"mirror_descent"} OptimizerKind
 * @typedef {"logistic"|"exponential"|"correlation"} LossKind
 * @typedef {"stable"|"float64"|"float32"} Precision  stable: without cancellation; else the textbook's formula
 *
 * @typedef {object} Problem  n inputs of T tokens each, keys = tokens (W = identity)
 * @property {number} n
 * @property {number} T
 * @property {Float64Array} tokens  (n, T, 2)
 * @property {Float64Array} labels  (n), +1 or -1
 * @property {Float64Array|null} scores  (n, T), the fixed gamma_it (Y_i v'x_it, the label is in them); null where the
 *   head v is trained too, gamma_it = Y_i v'x_it
 * @property {Int32Array} optimal  (n), optimal token of each input: the highest score (the lowest index where scores
 *   tie), or token 0 where the head is trained
 *
 * @typedef {object} Settings
 * @property {OptimizerKind} optimizer
 * @property {number} stepSize  step size of all optimizers but Polyak
 * @property {number} c  Polyak: (L - inf L) / (c |g|^2)
 * @property {number|null} longest  Polyak: longest step; null for no limit
 * @property {number} momentum  heavy ball and Nesterov
 * @property {number} exponent  mirror descent: the p of l_p
 * @property {boolean} normalized  momentum, Nesterov, mirror descent: use the gradient divided by its norm
 * @property {LossKind} loss
 * @property {Precision} precision
 *
 * @typedef {object} Start
 * @property {ArrayLike<number>} p  (2)
 * @property {ArrayLike<number>} [v]  (2), exactly where the head is trained
 *
 * @typedef {object} Trainer  state of one training; changed by `advance`
 * @property {Problem} problem
 * @property {Settings} settings
 * @property {number} step  steps taken
 * @property {Float64Array} p  (2)
 * @property {Float64Array|null} v  (2)
 * @property {Float64Array} velocity  (4), of p and of v
 * @property {boolean} finite  false once a step left the floating-point range: the training then stays where it is
 * @property {Work} work  arrays that steps reuse
 *
 * @typedef {object} Gradient  exp(logScaleP) * p and exp(logScaleV) * v
 * @property {Float64Array} p  (2)
 * @property {number} logScaleP
 * @property {Float64Array} v  (2)
 * @property {number} logScaleV
 *
 * @typedef {object} Work
 * @property {Float64Array} scores  (n, T)
 * @property {Float64Array} logWeights  (n, T)
 * @property {Float64Array} weights  (n, T)
 * @property {Int32Array} selected  (n), token of the largest logit
 * @property {Float64Array} logSlopes  (n), log(-loss') at each input's margin
 * @property {Float64Array} totals  (n), 1 / probability of the selected token
 * @property {Float64Array} meanGaps  (n), mean score under the softmax less the score of the selected token
 * @property {Gradient} gradient
 *
 * @typedef {object} Observation  quantities at one iterate
 * @property {Float64Array} attention  (n, T), softmax probabilities
 * @property {number} optimalProbability  mean over the inputs of the probability of the optimal token
 * @property {number} largestProbability  mean over the inputs of the largest probability
 * @property {number} logisticProbability  mean over the inputs of 1 / (1 + exp(-Y_i f(X_i)))
 * @property {number} normP
 * @property {number} normV  NaN without a trained head
 * @property {number} loss  mean loss
 * @property {number} logGap  log(loss - its infimum); NaN where it has none
 *
 * @typedef {object} Path  recorded iterates
 * @property {Int32Array} steps  (records)
 * @property {Float64Array} p  (records, 2)
 * @property {Float64Array|null} v  (records, 2)
 * @property {boolean} finite  false where training left the floating-point range; the path then ends before it did
 *
 * @typedef {object} Curves  quantities along a path, one entry per record
 * @property {Float64Array} optimalProbability
 * @property {Float64Array} largestProbability
 * @property {Float64Array} logisticProbability
 * @property {Float64Array} normP
 * @property {Float64Array} normV
 * @property {Float64Array} loss
 * @property {Float64Array} logGap
 * @property {Float64Array} attention  (records, n, T)
 * @property {Float64Array[]} cosines  of p with each of the given directions
 *
 * @typedef {object} TokenSolution  shortest p with p'(k_i,selected - k_it) >= required_i for all rivals t (ATT-SVM)
 * @property {Int32Array} selected  (n)
 * @property {Float64Array} weights  (2), the solution p
 * @property {Float64Array} direction  (2), of length 1
 * @property {number} norm  |p|; the margin is 1 / |p|
 * @property {Float64Array} margins  (n, T), p'(k_i,selected - k_it); NaN for tokens that are no rivals
 * @property {boolean[]} neighbors  (n, T), SVM-neighbors: margin 1 up to 1e-6
 * @property {boolean[]} support  (n, T), constraints with a positive multiplier, which alone determine p
 * @property {number} scoreGap  smallest score of a selected token less that of its neighbor; Infinity without one
 * @property {boolean} locallyOptimal  scoreGap > 0: p is an LMM direction
 * @property {boolean} globallyOptimal  every selected token is one of the highest score of its input
 * @property {[number, number]} cone  angles [low, high], low < high, between which a direction selects these tokens
 *
 * @typedef {object} HeadSolution  shortest v with Y_i v'r_i >= 1 (label SVM)
 * @property {Float64Array} weights  (2)
 * @property {Float64Array} direction  (2)
 * @property {number} norm
 * @property {Float64Array} margins  (n)
 * @property {boolean[]} tight  (n), inputs of margin 1: support vectors
 *
 * @typedef {object} Grid  starts of the basins: columns * rows points from (x[0], y[0]) to (x[1], y[1]), both included
 * @property {[number, number]} x
 * @property {[number, number]} y
 * @property {number} columns
 * @property {number} rows
 *
 * @typedef {object} RegularizationPath
 * @property {Float64Array} radii  (R)
 * @property {Float64Array} p  (R, 2), minimizer of the risk among |p| <= radius
 */

// ---------------------------------------------------------------------------------------------------------------------
// Problems

/**
 * Return a problem from plain lists.
 *
 * Throws RangeError where inputs have different numbers of tokens, or there is no input or token.
 * @param {{tokens: ArrayLike<ArrayLike<number>>, scores?: ArrayLike<number>, label?: number}[]} inputs
 * @param {boolean} joint  train the head too, and ignore the scores
 * @returns {Problem}
 */
export function makeProblem(inputs, joint) {
  const n = inputs.length, T = n ? inputs[0].tokens.length : 0
  if (!n || !T) throw new RangeError("a problem needs an input and a token")
  const tokens = new Float64Array(2 * n * T), labels = new Float64Array(n).fill(1)
  const scores = joint ? null : new Float64Array(n * T)
  inputs.forEach((input, i) => {
    if (input.tokens.length !== T) throw new RangeError("all inputs need equally many tokens")
    labels[i] = input.label ?? 1
    for (let t = 0; t < T; t++) {
      const token = input.tokens[t]
      tokens[2 * (i * T + t)] = token[0]
      tokens[2 * (i * T + t) + 1] = token[1]
      if (scores) scores[i * T + t] = input.scores ? input.scores[t] : 0
    }
  })
  const optimal = new Int32Array(n)
  if (scores) for (let i = 0; i < n; i++) optimal[i] = argmax(scores, i * T, T)
  return { n, T, tokens, labels, scores, optimal }
}

/**
 * Return why these settings cannot train this problem, in a sentence; "" where they can.
 * @param {Problem} problem
 * @param {Settings} settings
 * @returns {string}
 */
export function incompatible(problem, settings) {
  if (settings.optimizer === "polyak" && settings.loss === "correlation" && !problem.scores) {
    return "Polyak steps need the infimum of the loss, which the correlation loss does not have when the head is trained."
  }
  if (settings.optimizer === "mirror_descent" && !(settings.exponent > 1)) {
    return "Mirror descent needs an exponent above 1."
  }
  return ""
}

// ---------------------------------------------------------------------------------------------------------------------
// Arithmetic

const LARGEST = Number.MAX_VALUE
const SMALLEST = Number.MIN_VALUE
// For each precision, the length below which squares of coordinates leave the floating-point range.
const SMALLEST_WITH_SQUARE = { stable: 2 ** -511, float64: 2 ** -511, float32: 2 ** -63 }
const SMALLEST_FLOAT32 = 2 ** -149
const NEGLIGIBLE_LOG = -40
const NEIGHBOR_TOLERANCE = 1e-6
const TIE = 1e-12

/** @param {number} x */
const identity = (x) => x

/** Return the index, relative to `first`, of the largest of `count` entries from `first` on; the first one in a tie.
 * @param {ArrayLike<number>} values @param {number} first @param {number} count */
function argmax(values, first, count) {
  let best = 0
  for (let k = 1; k < count; k++) if (values[first + k] > values[first + best]) best = k
  return best
}

/** Return log(1 + exp(x)). @param {number} x */
function softplus(x) {
  return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)))
}

/** Return log(exp(a) + exp(b)). @param {number} a @param {number} b */
function logAddExp(a, b) {
  const top = Math.max(a, b)
  return top === -Infinity ? top : top + Math.log1p(Math.exp(Math.min(a, b) - top))
}

/** Return log(sum of exp(values)); -Infinity for none. @param {ArrayLike<number>} values */
function logSumExp(values) {
  let top = -Infinity
  for (let k = 0; k < values.length; k++) top = Math.max(top, values[k])
  if (top === -Infinity) return top
  let sum = 0
  for (let k = 0; k < values.length; k++) sum += Math.exp(values[k] - top)
  return top + Math.log(sum)
}

/** Return log(exp(x) - 1) from log(x). @param {number} logX */
function logExpm1Exp(logX) {
  const x = Math.exp(logX)
  if (x > 1) return x + Math.log1p(-Math.exp(-x))
  return x === 0 ? logX : logX + Math.log(Math.expm1(x) / x)
}

/** Return log(log(1 + exp(y))). @param {number} y */
function logSoftplus(y) {
  return y < NEGLIGIBLE_LOG ? y : Math.log(softplus(y))
}

/** Return the loss of a margin. @param {LossKind} loss @param {number} m */
function lossValue(loss, m) {
  return loss === "logistic" ? softplus(-m) : loss === "exponential" ? Math.exp(-m) : -m
}

/** Return log(-loss'(m)). @param {LossKind} loss @param {number} m */
function logSlope(loss, m) {
  return loss === "logistic" ? -softplus(m) : loss === "exponential" ? -m : 0
}

/** Return log(loss(m)), for losses whose infimum is zero; NaN for others. @param {LossKind} loss @param {number} m */
function logLoss(loss, m) {
  return loss === "logistic" ? logSoftplus(-m) : loss === "exponential" ? -m : NaN
}

/** Return log(loss(m - x) - loss(m)) from m and log(x).
 * @param {LossKind} loss @param {number} m @param {number} logX */
function logExcess(loss, m, logX) {
  if (loss === "correlation") return logX
  const grown = logExpm1Exp(logX)
  return loss === "exponential" ? grown - m : logSoftplus(grown - softplus(m))
}

/** Return the length of (x, y), also where squares leave the range of a precision.
 * @param {number} x @param {number} y @param {Precision} precision @param {(x: number) => number} round */
function lengthOf(x, y, precision, round) {
  const size = round(Math.sqrt(round(round(x * x) + round(y * y))))
  if (size >= SMALLEST_WITH_SQUARE[precision] || size !== size) return size
  const largest = Math.max(Math.abs(x), Math.abs(y), precision === "float32" ? SMALLEST_FLOAT32 : SMALLEST)
  const a = round(x / largest), b = round(y / largest)
  return round(largest * round(Math.sqrt(round(round(a * a) + round(b * b)))))
}

/** Return x^a for x >= 0. @param {number} x @param {number} a */
function power(x, a) {
  return a === 1.5 ? x * Math.sqrt(x) : x ** a
}

/** Return sign(x) |x|^a. @param {number} x @param {number} a */
function signedPower(x, a) {
  if (a === 1) return x
  const size = power(Math.abs(x), a)
  return x < 0 || Object.is(x, -0) ? -size : size
}

// ---------------------------------------------------------------------------------------------------------------------
// The gradient

/** Return the arrays that gradients of a problem reuse. @param {Problem} problem @returns {Work} */
function makeWork({ n, T }) {
  return {
    scores: new Float64Array(n * T), logWeights: new Float64Array(n * T), weights: new Float64Array(n * T),
    selected: new Int32Array(n), logSlopes: new Float64Array(n), totals: new Float64Array(n),
    meanGaps: new Float64Array(n),
    gradient: { p: new Float64Array(2), logScaleP: 0, v: new Float64Array(2), logScaleV: 0 },
  }
}

/** Return the scores gamma_it: the fixed ones, or those of the head.
 * @param {Problem} problem @param {ArrayLike<number>|null} v @param {Float64Array} out
 * @param {(x: number) => number} round @returns {Float64Array} */
function scoresOf(problem, v, out, round) {
  const { n, T, tokens, labels, scores } = problem
  if (scores) return scores
  if (!v) throw new RangeError("the head is trained: it needs a value")
  for (let k = 0; k < n * T; k++) {
    out[k] = labels[(k / T) | 0] * round(round(tokens[2 * k] * v[0]) + round(tokens[2 * k + 1] * v[1]))
  }
  return out
}

/**
 * Compute the gradient without cancellation, from logarithms and differences from the most probable token of an input.
 *
 * k_it - k_i,selected has the weight s_it [(gamma_it - gamma_i,selected) - mean of it]; the largest is factored out.
 * @param {Problem} problem @param {LossKind} loss @param {ArrayLike<number>} p @param {ArrayLike<number>|null} v
 * @param {Work} work @returns {Gradient}
 */
function stableGradient(problem, loss, p, v, work) {
  const { n, T, tokens, labels } = problem
  const { logWeights, weights, selected, logSlopes, totals, meanGaps, gradient } = work
  const scores = scoresOf(problem, v, work.scores, identity)
  let largest = -Infinity
  for (let i = 0; i < n; i++) {
    const first = i * T
    for (let k = first; k < first + T; k++) weights[k] = tokens[2 * k] * p[0] + tokens[2 * k + 1] * p[1]
    const chosen = first + argmax(weights, first, T), top = weights[chosen], best = scores[chosen]
    selected[i] = chosen - first
    let total = 0, weighted = 0
    for (let k = first; k < first + T; k++) {
      const logOdds = k === chosen ? -Infinity : weights[k] - top, odds = Math.exp(logOdds)
      logWeights[k] = logOdds
      weights[k] = odds
      total += odds
      weighted += odds * (scores[k] - best)
    }
    total += 1
    const meanGap = weighted / total, slope = logSlope(loss, best + meanGap), factor = slope - Math.log(total)
    logSlopes[i] = slope
    totals[i] = total
    meanGaps[i] = meanGap
    for (let k = first; k < first + T; k++) {
      const pull = scores[k] - best - meanGap
      // A token of weight 0 must not set the scale.
      logWeights[k] = pull === 0 ? -Infinity : logWeights[k] + factor
      if (logWeights[k] > largest) largest = logWeights[k]
    }
    // The odds of each token against the selected token, whose odds are 1: the head's gradient needs them.
    weights[chosen] = 1
  }
  gradient.logScaleP = Math.max(largest, -LARGEST)
  let x = 0, y = 0
  for (let i = 0; i < n; i++) {
    const chosen = i * T + selected[i], best = scores[chosen]
    for (let k = i * T; k < (i + 1) * T; k++) {
      const weight = Math.exp(logWeights[k] - gradient.logScaleP) * (scores[k] - best - meanGaps[i])
      x += weight * (tokens[2 * k] - tokens[2 * chosen])
      y += weight * (tokens[2 * k + 1] - tokens[2 * chosen + 1])
    }
  }
  gradient.p[0] = x / -n
  gradient.p[1] = y / -n
  if (!v) return gradient
  gradient.logScaleV = -Infinity
  for (let i = 0; i < n; i++) gradient.logScaleV = Math.max(gradient.logScaleV, logSlopes[i])
  x = y = 0
  for (let i = 0; i < n; i++) {
    const share = Math.exp(logSlopes[i] - gradient.logScaleV) * labels[i] / totals[i]
    for (let k = i * T; k < (i + 1) * T; k++) {
      x += share * weights[k] * tokens[2 * k]
      y += share * weights[k] * tokens[2 * k + 1]
    }
  }
  gradient.v[0] = x / -n
  gradient.v[1] = y / -n
  return gradient
}

/**
 * Compute the gradient by the textbook's formula, s (gamma - <s, gamma>), rounding every result to its precision.
 * @param {Problem} problem @param {LossKind} loss @param {ArrayLike<number>} p @param {ArrayLike<number>|null} v
 * @param {Work} work @param {(x: number) => number} round @returns {Gradient}
 */
function textbookGradient(problem, loss, p, v, work, round) {
  const { n, T, tokens, labels } = problem, { weights, gradient } = work
  const scores = scoresOf(problem, v, work.scores, round)
  let x = 0, y = 0, headX = 0, headY = 0
  for (let i = 0; i < n; i++) {
    const first = i * T, last = first + T
    for (let k = first; k < last; k++) {
      weights[k] = round(round(round(tokens[2 * k]) * p[0]) + round(round(tokens[2 * k + 1]) * p[1]))
    }
    const top = weights[first + argmax(weights, first, T)]
    let total = 0, margin = 0, mean = 0
    for (let k = first; k < last; k++) {
      weights[k] = round(Math.exp(round(weights[k] - top)))
      total = round(total + weights[k])
    }
    for (let k = first; k < last; k++) {
      weights[k] = round(weights[k] / total)
      margin = round(margin + round(weights[k] * round(scores[k])))
    }
    const slope = round(Math.exp(round(logSlope(loss, margin))))
    for (let k = first; k < last; k++) mean = round(mean + round(weights[k] * round(slope * round(scores[k]))))
    for (let k = first; k < last; k++) {
      const weight = round(weights[k] * round(round(slope * round(scores[k])) - mean))
      x = round(x + round(weight * round(tokens[2 * k])))
      y = round(y + round(weight * round(tokens[2 * k + 1])))
      const share = labels[i] * round(slope * weights[k])
      headX = round(headX + round(share * round(tokens[2 * k])))
      headY = round(headY + round(share * round(tokens[2 * k + 1])))
    }
  }
  gradient.p[0] = round(x / -n)
  gradient.p[1] = round(y / -n)
  gradient.v[0] = round(headX / -n)
  gradient.v[1] = round(headY / -n)
  gradient.logScaleP = gradient.logScaleV = 0
  return gradient
}

/**
 * Return the logarithm of the risk above its infimum: the mean loss of the best tokens, or 0 where the head is trained.
 * @param {Problem} problem @param {LossKind} loss @param {ArrayLike<number>} p @param {ArrayLike<number>} scores
 * @returns {number}  NaN where the risk has no infimum
 */
function logRiskGap(problem, loss, p, scores) {
  const { n, T, tokens } = problem, logLosses = new Float64Array(n), logits = new Float64Array(T)
  for (let i = 0; i < n; i++) {
    const first = i * T
    for (let t = 0; t < T; t++) logits[t] = tokens[2 * (first + t)] * p[0] + tokens[2 * (first + t) + 1] * p[1]
    const logTotal = logSumExp(logits)
    if (problem.scores) {
      let best = -Infinity
      for (let t = 0; t < T; t++) best = Math.max(best, scores[first + t])
      const shortfalls = logits.map((logit, t) => logit - logTotal + Math.log(best - scores[first + t]))
      logLosses[i] = logExcess(loss, best, logSumExp(shortfalls))
    } else {
      let margin = 0
      for (let t = 0; t < T; t++) margin += Math.exp(logits[t] - logTotal) * scores[first + t]
      logLosses[i] = logLoss(loss, margin)
    }
  }
  return logSumExp(logLosses) - Math.log(n)
}

// ---------------------------------------------------------------------------------------------------------------------
// Training

/**
 * Return a training before its first step.
 *
 * Throws RangeError where the start has no head and the head is trained.
 * @param {Problem} problem
 * @param {Settings} settings
 * @param {Start} start
 * @returns {Trainer}
 */
export function createTrainer(problem, settings, start) {
  if (!problem.scores && !start.v) throw new RangeError("the head is trained: it needs a start")
  const round = settings.precision === "float32" ? Math.fround : identity
  const v = problem.scores || !start.v ? null : Float64Array.from(start.v, round)
  return {
    problem, settings, step: 0, p: Float64Array.from(start.p, round), v, velocity: new Float64Array(4), finite: true,
    work: makeWork(problem),
  }
}

/**
 * Take some steps of a training, in place.
 * @param {Trainer} trainer
 * @param {number} [steps]
 */
export function advance(trainer, steps = 1) {
  const { problem, settings, p, v, work } = trainer
  const round = settings.precision === "float32" ? Math.fround : identity
  for (let k = 0; k < steps && trainer.finite; k++) {
    const gradient = settings.precision === "stable"
      ? stableGradient(problem, settings.loss, p, v, work)
      : textbookGradient(problem, settings.loss, p, v, work, round)
    const before = v ? [p[0], p[1], v[0], v[1]] : [p[0], p[1]]
    // Both numbers are of the current iterate, so they are computed before p or v moves.
    const logGap = settings.optimizer === "polyak"
      ? logRiskGap(problem, settings.loss, p, scoresOf(problem, v, work.scores, round)) : 0
    const logSquare = settings.optimizer === "polyak" ? logSquareOf(gradient, v !== null, settings.precision, round) : 0
    move(settings, p, gradient.p, gradient.logScaleP, trainer.velocity, 0, logGap, logSquare, round)
    if (v) move(settings, v, gradient.v, gradient.logScaleV, trainer.velocity, 2, logGap, logSquare, round)
    if (Number.isFinite(p[0] + p[1]) && (!v || Number.isFinite(v[0] + v[1]))) trainer.step++
    else {
      trainer.finite = false
      p.set(before.slice(0, 2))
      if (v) v.set(before.slice(2))
    }
  }
}

/** Return log |gradient|^2 over the trained parameters together.
 * @param {Gradient} gradient @param {boolean} joint @param {Precision} precision @param {(x: number) => number} round */
function logSquareOf(gradient, joint, precision, round) {
  const { p, v } = gradient
  const ofP = 2 * (gradient.logScaleP + Math.log(lengthOf(p[0], p[1], precision, round)))
  return joint ? logAddExp(ofP, 2 * (gradient.logScaleV + Math.log(lengthOf(v[0], v[1], precision, round)))) : ofP
}

/**
 * Move one parameter against its gradient exp(logScale) * direction, in place.
 * @param {Settings} settings @param {Float64Array} parameter @param {Float64Array} direction @param {number} logScale
 * @param {Float64Array} velocity @param {number} at  index of this parameter's velocity
 * @param {number} logGap @param {number} logSquare @param {(x: number) => number} round
 */
function move(settings, parameter, direction, logScale, velocity, at, logGap, logSquare, round) {
  const { optimizer, precision } = settings, stepSize = round(settings.stepSize)
  const smallest = precision === "float32" ? SMALLEST_FLOAT32 : SMALLEST
  const size = lengthOf(direction[0], direction[1], precision, round)
  if (optimizer === "mirror_descent") return moveInMirror(settings, parameter, direction, logScale, size, round)
  let polyak = 0
  if (optimizer === "polyak" && logSquare > -Infinity) {
    let logSize = logGap + logScale - logSquare
    if (settings.longest !== null) {
      logSize = Math.min(logSize, Math.log(settings.longest) + Math.log(settings.c) - Math.log(size))
    }
    polyak = round(Math.exp(logSize))
  }
  const unit = optimizer !== "gd" && settings.normalized, scale = round(Math.exp(logScale))
  const momentum = round(settings.momentum), c = round(settings.c)
  for (let j = 0; j < 2; j++) {
    let step
    if (optimizer === "normalized_gd") {
      step = round(round(stepSize * direction[j]) / Math.max(size, smallest))
    } else if (optimizer === "polyak") {
      step = round(round(polyak * direction[j]) / c)
    } else if (optimizer === "gd") {
      step = round(stepSize * round(scale * direction[j]))
    } else {
      const g = unit ? round(direction[j] / Math.max(size, smallest)) : round(scale * direction[j])
      velocity[at + j] = round(round(momentum * velocity[at + j]) + g)
      const along = optimizer === "nesterov" ? round(g + round(momentum * velocity[at + j])) : velocity[at + j]
      step = round(stepSize * along)
    }
    parameter[j] = round(parameter[j] - step)
  }
}

/**
 * Move the mirror image sign(w) |w|^(exponent - 1) of one parameter against its gradient, in place.
 * @param {Settings} settings @param {Float64Array} parameter @param {Float64Array} direction @param {number} logScale
 * @param {number} size  |direction| @param {(x: number) => number} round
 */
function moveInMirror(settings, parameter, direction, logScale, size, round) {
  const { exponent, normalized } = settings, q = exponent / (exponent - 1)
  let divisor = 1
  if (normalized) {
    divisor = q === 2 ? size : 0
    // The largest entry is factored out: a large power of the other entry may underflow, but is then negligible.
    const largest = Math.max(Math.abs(direction[0]), Math.abs(direction[1]))
    if (q !== 2 && largest > 0) {
      const sum = power(Math.abs(direction[0]) / largest, q) + power(Math.abs(direction[1]) / largest, q)
      divisor = largest * sum ** (1 / q)
    }
    divisor = Math.max(divisor, settings.precision === "float32" ? SMALLEST_FLOAT32 : SMALLEST)
  }
  const scale = normalized ? 1 : Math.exp(logScale)
  for (let j = 0; j < 2; j++) {
    const along = round(normalized ? direction[j] / divisor : scale * direction[j])
    const image = round(round(signedPower(parameter[j], exponent - 1)) - round(round(settings.stepSize) * along))
    parameter[j] = round(signedPower(image, 1 / (exponent - 1)))
  }
}

/**
 * Train and return the iterates 0, recordEvery, 2 recordEvery, ... and the last.
 * @param {Problem} problem
 * @param {Settings} settings
 * @param {Start} start
 * @param {number} steps
 * @param {number} [recordEvery]
 * @returns {Path}
 */
export function descend(problem, settings, start, steps, recordEvery = 1) {
  const trainer = createTrainer(problem, settings, start)
  const recorded = [0], p = [...trainer.p], v = trainer.v ? [...trainer.v] : null
  while (trainer.step < steps && trainer.finite) {
    const before = trainer.step
    advance(trainer, Math.min(recordEvery, steps - trainer.step))
    if (trainer.step === before) break
    recorded.push(trainer.step)
    p.push(trainer.p[0], trainer.p[1])
    if (v && trainer.v) v.push(trainer.v[0], trainer.v[1])
  }
  return {
    steps: Int32Array.from(recorded), p: Float64Array.from(p), v: v && Float64Array.from(v), finite: trainer.finite,
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Quantities along a path

/**
 * Return the quantities at one iterate. They are always computed in double precision without cancellation.
 * @param {Problem} problem
 * @param {LossKind} loss
 * @param {ArrayLike<number>} p
 * @param {ArrayLike<number>|null} v  the trained head; null where the scores are fixed
 * @returns {Observation}
 */
export function observe(problem, loss, p, v) {
  const { n, T, tokens, optimal } = problem, scores = scoresOf(problem, v, new Float64Array(n * T), identity)
  const attention = new Float64Array(n * T)
  let optimalProbability = 0, largestProbability = 0, logisticProbability = 0, total = 0
  for (let i = 0; i < n; i++) {
    const first = i * T, row = attention.subarray(first, first + T)
    for (let t = 0; t < T; t++) row[t] = tokens[2 * (first + t)] * p[0] + tokens[2 * (first + t) + 1] * p[1]
    const top = row[argmax(row, 0, T)]
    let sum = 0, margin = 0, largest = 0
    for (let t = 0; t < T; t++) sum += row[t] = Math.exp(row[t] - top)
    for (let t = 0; t < T; t++) {
      row[t] /= sum
      margin += row[t] * scores[first + t]
      largest = Math.max(largest, row[t])
    }
    optimalProbability += row[optimal[i]] / n
    largestProbability += largest / n
    logisticProbability += 1 / (1 + Math.exp(-margin)) / n
    total += lossValue(loss, margin) / n
  }
  return {
    attention, optimalProbability, largestProbability, logisticProbability, loss: total,
    normP: Math.hypot(p[0], p[1]), normV: v ? Math.hypot(v[0], v[1]) : NaN, logGap: logRiskGap(problem, loss, p, scores),
  }
}

/**
 * Return the quantities along a path, and the cosines of p with directions.
 * @param {Problem} problem
 * @param {LossKind} loss
 * @param {Path} path
 * @param {ArrayLike<number>[]} directions
 * @returns {Curves}
 */
export function curves(problem, loss, path, directions) {
  const records = path.steps.length, size = problem.n * problem.T
  /** @type {Curves} */
  const found = {
    optimalProbability: new Float64Array(records), largestProbability: new Float64Array(records),
    logisticProbability: new Float64Array(records), normP: new Float64Array(records),
    normV: new Float64Array(records), loss: new Float64Array(records), logGap: new Float64Array(records),
    attention: new Float64Array(records * size), cosines: directions.map(() => new Float64Array(records)),
  }
  for (let r = 0; r < records; r++) {
    const p = path.p.subarray(2 * r, 2 * r + 2), v = path.v && path.v.subarray(2 * r, 2 * r + 2)
    const now = observe(problem, loss, p, v)
    found.optimalProbability[r] = now.optimalProbability
    found.largestProbability[r] = now.largestProbability
    found.logisticProbability[r] = now.logisticProbability
    found.normP[r] = now.normP
    found.normV[r] = now.normV
    found.loss[r] = now.loss
    found.logGap[r] = now.logGap
    found.attention.set(now.attention, r * size)
    directions.forEach((direction, k) => { found.cosines[k][r] = cosine(p, direction) })
  }
  return found
}

/** Return the cosine of two points; NaN for the origin. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function cosine(a, b) {
  return (a[0] * b[0] + a[1] * b[1]) / (Math.hypot(a[0], a[1]) * Math.hypot(b[0], b[1]))
}

// ---------------------------------------------------------------------------------------------------------------------
// Max-margin directions

// A longer solution cannot be distinguished from infeasibility, so the problem counts as infeasible, as in the library.
const MAX_NORM = 1e12
const VIOLATION = 1e-12
const MAX_CHOICES = 1000

/**
 * Return the shortest w with A w >= b, b >= 0, in the plane; null where there is none.
 *
 * The most violated constraint is added, again and again. In the plane one or two constraints determine the optimum, so
 * the optimum under at most three is found by trying all pairs. It gets longer with every constraint, so this ends.
 * @param {Float64Array} A  (m, 2)
 * @param {ArrayLike<number>} b  (m)
 * @returns {{weights: [number, number], duals: Float64Array}|null}
 */
function shortest(A, b) {
  const m = b.length
  let scale = 0
  for (const entry of A) scale = Math.max(scale, Math.abs(entry))
  /** @type {{w: [number, number], active: number[], y: number[]}} */
  let best = { w: [0, 0], active: [], y: [] }
  for (let round = 0; round <= m * m; round++) {
    let worst = -1, most = VIOLATION * Math.max(1, Math.hypot(...best.w))
    for (let j = 0; j < m; j++) {
      const shortfall = b[j] - A[2 * j] * best.w[0] - A[2 * j + 1] * best.w[1]
      if (shortfall > most && !best.active.includes(j)) [worst, most] = [j, shortfall]
    }
    if (worst < 0) {
      const duals = new Float64Array(m)
      best.active.forEach((j, k) => { duals[j] = best.y[k] })
      return { weights: best.w, duals }
    }
    const next = bestOfThree(A, b, worst, best.active)
    if (!next || !(Math.hypot(...next.w) * scale < MAX_NORM)) return null
    best = next
  }
  return null
}

/** Return the shortest w that meets constraint `worst` with equality and `others`, at most two; null if there is none.
 * @param {Float64Array} A @param {ArrayLike<number>} b @param {number} worst @param {number[]} others
 * @returns {{w: [number, number], active: number[], y: number[]}|null} */
function bestOfThree(A, b, worst, others) {
  const x = A[2 * worst], y = A[2 * worst + 1], square = x * x + y * y
  /** @type {{w: [number, number], active: number[], y: number[]}|null} */
  let best = null
  for (const other of [-1, ...others]) {
    /** @type {{w: [number, number], active: number[], y: number[]}} */
    let found
    if (other < 0) {
      found = { w: [x * b[worst] / square, y * b[worst] / square], active: [worst], y: [b[worst] / square] }
    } else {
      const u = A[2 * other], v = A[2 * other + 1], det = x * v - y * u
      /** @type {[number, number]} */
      const w = [(b[worst] * v - y * b[other]) / det, (x * b[other] - b[worst] * u) / det]
      found = { w, active: [worst, other], y: [(w[0] * v - w[1] * u) / det, (w[1] * x - w[0] * y) / det] }
    }
    const size = Math.hypot(...found.w), slack = VIOLATION * Math.max(1, size)
    const feasible = others.every((j) => j === other || A[2 * j] * found.w[0] + A[2 * j + 1] * found.w[1] >= b[j] - slack)
    if (feasible && Number.isFinite(size) && (!best || size < Math.hypot(...best.w))) best = found
  }
  return best
}

/** Return the directions u with a'u > 0 for all rows a of A, as angles [low, high]; null where there is none.
 * @param {Float64Array} A @returns {[number, number]|null} */
function coneOf(A) {
  let low = -Infinity, high = Infinity
  for (let j = 0; 2 * j < A.length; j++) {
    if (A[2 * j] === 0 && A[2 * j + 1] === 0) return null
    let axis = Math.atan2(A[2 * j + 1], A[2 * j])
    // Of the angles axis + 2 pi k, take the one nearest to the middle of [low, high].
    if (j) axis += 2 * Math.PI * Math.round(((low + high) / 2 - axis) / (2 * Math.PI))
    low = Math.max(low, axis - Math.PI / 2)
    high = Math.min(high, axis + Math.PI / 2)
    if (!(low < high)) return null
  }
  return [low, high]
}

/**
 * Return the max-margin solution that separates one token per input from rivals; null where there is none.
 * @param {Problem} problem
 * @param {ArrayLike<number>} selected  (n)
 * @param {ArrayLike<number>} required  (n), the margins
 * @param {boolean[]|null} rivals  (n, T); null for all other tokens
 * @returns {TokenSolution|null}
 */
function separate(problem, selected, required, rivals) {
  const { n, T, tokens, scores, optimal } = problem
  /** @type {number[]} */
  const rows = [], /** @type {number[]} */ A = [], /** @type {number[]} */ b = []
  for (let i = 0; i < n; i++) {
    const chosen = i * T + selected[i]
    for (let k = i * T; k < (i + 1) * T; k++) {
      if (k === chosen || (rivals && !rivals[k])) continue
      rows.push(k)
      A.push(tokens[2 * chosen] - tokens[2 * k], tokens[2 * chosen + 1] - tokens[2 * k + 1])
      b.push(required[i])
    }
  }
  if (!b.some((margin) => margin > 0)) return null
  const differences = Float64Array.from(A), cone = coneOf(differences), answer = shortest(differences, b)
  if (!answer) return null
  const [x, y] = answer.weights, norm = Math.hypot(x, y)
  const margins = new Float64Array(n * T).fill(NaN), neighbors = Array(n * T).fill(false)
  const support = Array(n * T).fill(false), largest = answer.duals.reduce((a, c) => Math.max(a, c), 0)
  let scoreGap = scores ? Infinity : NaN, globallyOptimal = true
  rows.forEach((k, j) => {
    margins[k] = A[2 * j] * x + A[2 * j + 1] * y
    neighbors[k] = Math.abs(margins[k] - 1) <= NEIGHBOR_TOLERANCE
    support[k] = answer.duals[j] > NEIGHBOR_TOLERANCE * largest
    const i = (k / T) | 0
    if (scores && neighbors[k]) scoreGap = Math.min(scoreGap, scores[i * T + selected[i]] - scores[k])
  })
  for (let i = 0; i < n; i++) {
    globallyOptimal &&= scores ? ties(problem, i)[selected[i]] : selected[i] === optimal[i]
  }
  return {
    selected: Int32Array.from(selected), weights: Float64Array.of(x, y), direction: Float64Array.of(x / norm, y / norm),
    norm, margins, neighbors, support, scoreGap, locallyOptimal: scoreGap > 0, globallyOptimal,
    // If margins of 0 are required, the cone may be empty; then the solution's own direction stands for it.
    cone: cone ?? [Math.atan2(y, x), Math.atan2(y, x)],
  }
}

/** Return which tokens of an input tie with its best score, up to the rounding of scores. The scores are fixed.
 * @param {Problem} problem @param {number} i @returns {boolean[]} */
function ties({ T, scores }, i) {
  const row = scores ? [...scores.subarray(i * T, (i + 1) * T)] : []
  const least = Math.max(...row) - TIE * Math.max(...row.map(Math.abs))
  return row.map((score) => score >= least)
}

/**
 * Return the max-margin solution that separates one token per input from the others; null where there is none.
 * @param {Problem} problem
 * @param {ArrayLike<number>} selected  (n)
 * @returns {TokenSolution|null}
 */
export function separateTokens(problem, selected) {
  return separate(problem, selected, new Float64Array(problem.n).fill(1), null)
}

/**
 * Return the globally-optimal (GMM) directions, shortest first.
 *
 * One at most where no scores tie. Where some tie for the highest of their input there is one per choice among them,
 * separated from the tokens of lower score alone (ATT-SVM'); none for more than 1000 choices.
 * @param {Problem} problem
 * @returns {TokenSolution[]}
 */
export function gmm(problem) {
  const { n } = problem
  if (!problem.scores) {
    const solution = separateTokens(problem, problem.optimal)
    return solution ? [solution] : []
  }
  /** @type {boolean[]} */
  const rivals = [], /** @type {number[][]} */ sets = []
  for (let i = 0; i < n; i++) {
    const tied = ties(problem, i), all = tied.every(Boolean)
    rivals.push(...tied.map((one) => !one))
    // Where all tokens of an input tie, none is separated and any choice is as good.
    sets.push(all ? [0] : tied.flatMap((one, t) => (one ? [t] : [])))
  }
  if (sets.reduce((count, set) => count * set.length, 1) > MAX_CHOICES) return []
  /** @type {number[][]} */
  const choices = sets.reduce((some, set) => some.flatMap((one) => set.map((t) => [...one, t])), [/** @type {number[]} */ ([])])
  const ones = new Float64Array(n).fill(1)
  return choices.flatMap((choice) => separate(problem, choice, ones, rivals) ?? []).sort((a, c) => a.norm - c.norm)
}

/**
 * Return the solutions of all selections that some direction makes, in the order of their cones' angles.
 *
 * In the plane there are at most n T of them, so none of the T^n selections is left out.
 * @param {Problem} problem
 * @returns {TokenSolution[]}
 */
export function selections(problem) {
  const { n, T, tokens } = problem, turn = 2 * Math.PI
  /** @type {number[]} */
  const ends = []
  for (let i = 0; i < n; i++) {
    for (let t = 0; t < T; t++) {
      const chosen = 2 * (i * T + t), A = []
      for (let s = 0; s < T; s++) {
        const other = 2 * (i * T + s)
        if (s !== t) A.push(tokens[chosen] - tokens[other], tokens[chosen + 1] - tokens[other + 1])
      }
      const cone = T > 1 ? coneOf(Float64Array.from(A)) : null
      if (cone) ends.push(...cone.map((angle) => angle - turn * Math.floor(angle / turn)))
    }
  }
  ends.sort((a, b) => a - b)
  /** @type {Map<string, TokenSolution>} */
  const found = new Map()
  ends.forEach((low, k) => {
    const middle = (low + (k + 1 < ends.length ? ends[k + 1] : ends[0] + turn)) / 2
    const x = Math.cos(middle), y = Math.sin(middle), logits = new Float64Array(T), selected = new Int32Array(n)
    for (let i = 0; i < n; i++) {
      for (let t = 0; t < T; t++) logits[t] = x * tokens[2 * (i * T + t)] + y * tokens[2 * (i * T + t) + 1]
      selected[i] = argmax(logits, 0, T)
    }
    const solution = found.has(selected.join()) ? null : separateTokens(problem, selected)
    if (solution) found.set(selected.join(), solution)
  })
  return [...found.values()]
}

/**
 * Return the locally-optimal (LMM) directions, which include the globally-optimal one, in the order of their angles.
 *
 * None where the head is trained: scores then change.
 * @param {Problem} problem
 * @returns {TokenSolution[]}
 */
export function lmm(problem) {
  return selections(problem).filter((solution) => solution.locallyOptimal)
}

/**
 * Return the label SVM of the optimal tokens; null where the labels cannot be separated.
 * @param {Problem} problem
 * @returns {HeadSolution|null}
 */
export function labelSvm(problem) {
  const { n, T, tokens, labels, optimal } = problem, A = new Float64Array(2 * n)
  for (let i = 0; i < n; i++) {
    A[2 * i] = labels[i] * tokens[2 * (i * T + optimal[i])]
    A[2 * i + 1] = labels[i] * tokens[2 * (i * T + optimal[i]) + 1]
  }
  const answer = shortest(A, new Float64Array(n).fill(1))
  if (!answer) return null
  const [x, y] = answer.weights, norm = Math.hypot(x, y)
  const margins = Float64Array.from({ length: n }, (_, i) => A[2 * i] * x + A[2 * i + 1] * y)
  return {
    weights: Float64Array.of(x, y), direction: Float64Array.of(x / norm, y / norm), norm, margins,
    tight: [...margins].map((margin) => margin <= 1 + NEIGHBOR_TOLERANCE),
  }
}

/**
 * Return the relaxed SVM: margin 1 for inputs that support the label SVM, 0 for the others; null where there is none.
 * @param {Problem} problem
 * @returns {TokenSolution|null}
 */
export function relaxedSvm(problem) {
  const head = labelSvm(problem)
  return head && separate(problem, problem.optimal, head.tight.map(Number), null)
}

// ---------------------------------------------------------------------------------------------------------------------
// Basins and regularization paths

/**
 * Return which direction each start of a grid has converged to, row by row from y[0].
 *
 * `first` and `count` select a part of the columns * rows starts.
 * @param {Problem} problem
 * @param {Settings} settings
 * @param {Grid} grid
 * @param {ArrayLike<number>[]} directions
 * @param {number} steps
 * @param {{first?: number, count?: number, converged?: number, v?: ArrayLike<number>}} [options]  converged: cosine
 *   that counts as converged, 0.99 by default; v: start of a trained head
 * @returns {Int16Array}  index of the direction; -1 where none is reached
 */
export function basins(problem, settings, grid, directions, steps, options = {}) {
  const { columns, rows } = grid, { first = 0, converged = 0.99, v } = options
  const count = Math.min(options.count ?? Infinity, columns * rows - first)
  return Int16Array.from({ length: Math.max(0, count) }, (_, k) => {
    const column = (first + k) % columns, row = Math.floor((first + k) / columns)
    const x = columns > 1 ? grid.x[0] + (grid.x[1] - grid.x[0]) * column / (columns - 1) : grid.x[0]
    const y = rows > 1 ? grid.y[0] + (grid.y[1] - grid.y[0]) * row / (rows - 1) : grid.y[0]
    const trainer = createTrainer(problem, settings, { p: [x, y], v })
    advance(trainer, steps)
    let best = -1, largest = converged
    directions.forEach((direction, d) => {
      const towards = cosine(trainer.p, direction)
      if (towards >= largest) [best, largest] = [d, towards]
    })
    return best
  })
}

const ANGLES = 720
const RINGS = 12
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * Return the regularization path, the minimizer of the risk among all |p| <= R for each radius R.
 *
 * Searches rings between the radii, and polishes the lowest point of each along its arc. The result is not certified,
 * but risks are compared by logarithms, so that their smallest differences count. radii: increasing. Null if the head
 * is trained, or if all tokens of every input score alike.
 * @param {Problem} problem
 * @param {LossKind} loss
 * @param {ArrayLike<number>} radii
 * @returns {RegularizationPath|null}
 */
export function regularizationPath(problem, loss, radii) {
  const risk = planarRisk(problem, loss)
  if (!risk) return null
  const p = new Float64Array(2 * radii.length)
  let inner = 0, best = { x: 0, y: 0, radius: 0, angle: 0, value: risk(0, 0) }
  /** @param {number} radius */
  const onRing = (radius) => lowestOnRing(risk, radius)
  for (let k = 0; k < radii.length; k++) {
    const rings = Array.from({ length: RINGS }, (_, r) => onRing(inner + (radii[k] - inner) * (r + 1) / RINGS))
    let lowest = rings.reduce((a, c) => (compareSigned(c.value, a.value) <= 0 ? c : a))
    if (lowest.radius < radii[k]) {
      // The lowest ring is not the outermost one, so the minimum is inside of the disk: polish the radius, too.
      const width = (radii[k] - inner) / RINGS
      const radius = golden((r) => onRing(r).value, Math.max(lowest.radius - width, 0), lowest.radius + width, 40)
      const polished = onRing(radius)
      if (compareSigned(polished.value, lowest.value) < 0) lowest = polished
    }
    if (compareSigned(lowest.value, best.value) <= 0) best = lowest
    p[2 * k] = best.x
    p[2 * k + 1] = best.y
    inner = radii[k]
  }
  return { radii: Float64Array.from(radii), p }
}

/**
 * @typedef {object} Signed  the number sign * exp(log)
 * @property {number} sign  -1, 0 or 1
 * @property {number} log  -Infinity for zero
 */

/** Return a number below, equal to or above 0 as a is below, equal to or above c. @param {Signed} a @param {Signed} c */
function compareSigned(a, c) {
  if (a.sign !== c.sign) return a.sign - c.sign
  return a.sign === 0 || a.log === c.log ? 0 : a.sign * (a.log - c.log)
}

/** Return the sum of signed numbers. @param {Signed[]} terms @returns {Signed} */
function sumSigned(terms) {
  const top = terms.reduce((most, { log }) => Math.max(most, log), -Infinity)
  if (top === -Infinity) return { sign: 0, log: -Infinity }
  const total = terms.reduce((sum, { sign, log }) => sum + sign * Math.exp(log - top), 0)
  return { sign: Math.sign(total), log: Math.log(Math.abs(total)) + top }
}

/** Return p -> L(p) - L0, signed, with L0 the risk of the best tokens that a direction can select; null if it is flat.
 * @param {Problem} problem @param {LossKind} loss @returns {((x: number, y: number) => Signed)|null} */
function planarRisk(problem, loss) {
  const { n, T, tokens, scores } = problem
  if (!scores) return null
  const selected = bestReachable(problem, loss)
  const margins = Float64Array.from(selected, (t, i) => scores[i * T + t]), gaps = scores.slice()
  for (let k = 0; k < n * T; k++) {
    const i = (k / T) | 0, row = scores.subarray(i * T, (i + 1) * T)
    gaps[k] = margins[i] - scores[k]
    if (Math.abs(gaps[k]) <= TIE * row.reduce((most, score) => Math.max(most, Math.abs(score)), 0)) gaps[k] = 0
  }
  if (!gaps.some(Boolean)) return null
  const logGaps = gaps.map((gap) => Math.log(Math.abs(gap))), logits = new Float64Array(T)
  return (x, y) => {
    const terms = []
    for (let i = 0; i < n; i++) {
      for (let t = 0; t < T; t++) logits[t] = tokens[2 * (i * T + t)] * x + tokens[2 * (i * T + t) + 1] * y
      const total = logSumExp(logits)
      const parts = Array.from(logits, (logit, t) => ({ sign: Math.sign(gaps[i * T + t]), log: logit - total + logGaps[i * T + t] }))
      const shortfall = sumSigned(parts)
      // A negative shortfall x = -|x| is a shortfall by |x| of the margin that is larger by |x|.
      const surplus = shortfall.sign < 0 ? Math.exp(shortfall.log) : 0
      terms.push({ sign: shortfall.sign, log: logExcess(loss, margins[i] + surplus, shortfall.log) })
    }
    return sumSigned(terms)
  }
}

/** Return the tokens that a saturated softmax selects in the direction, of ANGLES, of the smallest risk.
 * @param {Problem} problem @param {LossKind} loss @returns {Int32Array} */
function bestReachable({ n, T, tokens, scores }, loss) {
  const logits = new Float64Array(T)
  let best = new Int32Array(n), least = Infinity
  for (let a = 0; a < ANGLES; a++) {
    const x = Math.cos(2 * Math.PI * a / ANGLES), y = Math.sin(2 * Math.PI * a / ANGLES), selected = new Int32Array(n)
    let risk = 0
    for (let i = 0; i < n; i++) {
      for (let t = 0; t < T; t++) logits[t] = tokens[2 * (i * T + t)] * x + tokens[2 * (i * T + t) + 1] * y
      selected[i] = argmax(logits, 0, T)
      risk += scores ? lossValue(loss, scores[i * T + selected[i]]) : 0
    }
    if (risk < least) [best, least] = [selected, risk]
  }
  return best
}

/** Return the lowest point of a ring.
 * @param {(x: number, y: number) => Signed} risk @param {number} radius */
function lowestOnRing(risk, radius) {
  /** @param {number} angle */
  const at = (angle) => risk(radius * Math.cos(angle), radius * Math.sin(angle))
  const coarse = 120, width = 2 * Math.PI / coarse
  const values = Array.from({ length: coarse }, (_, a) => at(a * width))
  let least = 0
  values.forEach((value, a) => { if (compareSigned(value, values[least]) < 0) least = a })
  const angle = golden(at, (least - 1) * width, (least + 1) * width, 45)
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), radius, angle, value: at(angle) }
}

/** Return where a function with one minimum in an interval is lowest, by golden sections.
 * @param {(x: number) => Signed} f @param {number} low @param {number} high @param {number} rounds */
function golden(f, low, high, rounds) {
  let a = high - GOLDEN * (high - low), c = low + GOLDEN * (high - low), atA = f(a), atC = f(c)
  for (let k = 0; k < rounds; k++) {
    if (compareSigned(atA, atC) <= 0) {
      [high, c, atC] = [c, a, atA]
      a = high - GOLDEN * (high - low)
      atA = f(a)
    } else {
      [low, a, atA] = [a, c, atC]
      c = low + GOLDEN * (high - low)
      atC = f(c)
    }
  }
  return (low + high) / 2
}
