// What the page says about its examples, and its introduction.

/**
 * One sentence per example on what to try.
 * @type {Record<string, string>}
 */
export const ADVICE = {
  first: "Move the tokens, and watch the dashed lines and the path of p follow.",
  own: "Move, add and remove tokens, and change their scores below.",
  fig1a: "Both rivals have the same score. Wherever p starts, it turns to the one dashed line: tap the plane to try.",
  fig1b: "Two directions attract. Tap above and below the middle of the plane, and see at which line p ends.",
  fig1c: "Three inputs share one p. Move a token without a ring: nothing turns. Move one with a ring, and the line turns.",
  fig2: "Turn on the basins: starts inside the wedge around the blue line stay with it.",
  fig3a: "p and the head v learn together. Press Play: p turns to its SVM, v to that of the labels.",
  fig3b: "Input 3 does not support the label SVM, so p need not separate its best token: it follows the relaxed SVM.",
  fig5: "Input 1 has the larger score. Change the loss from correlation to logistic: p now leans towards the other input during training.",
  fig8: "Two starts, two ends: choose the other start in the table, and p goes to another line.",
  ext_ties: "Input 1 has two best tokens. Each of the two choices has a line of its own; turn on the basins.",
}

/**
 * A step of the introduction. Its text may have markup.
 * @typedef {object} TourStep
 * @property {string} title
 * @property {string} text
 * @property {Partial<import("./state.js").State>} show properties that differ from the default
 * @property {boolean} [play]
 */

const ONE_START = {starts: [{x: 0.5, y: 0}]}

/** @type {TourStep[]} */
export const TOUR = [
  {
    title: "Three tokens and an arrow",
    text: "Each mark is a token of one input, and the arrow <b>p</b> is what we train. The further a token k lies along " +
      "the arrow, the higher its logit k·p, and softmax turns the three logits into attention: the area of the halos. " +
      "The number beside a token is its <b>score</b>: how much it helps to look at it. The star scores highest, but so " +
      "far another token gets more attention.",
    show: {...ONE_START, band: false, rays: false, ahead: false},
  },
  {
    title: "Training makes it choose",
    text: "Gradient descent moves attention to the star: it turns p and makes it longer. (The solid line is the way of its " +
      "tip.) Soon the star has nearly all of it. But softmax never gives one token <em>all</em>, so a longer p is always " +
      "a little better: p grows forever, and only its <b>direction</b> settles. Which one will it be?",
    show: {...ONE_START, band: false, rays: false, ahead: false, speed: 15},
    play: true,
  },
  {
    title: "The widest band",
    text: "Lay a band across the plane, with the star on one edge and all other tokens on or beyond the opposite edge. The widest " +
      "such band is what a <b>support vector machine</b> looks for, and the <span class=\"gmm\">dashed line</span> across " +
      "it is its direction: the very one that p has taken. The ringed token lies on that edge and keeps the band from " +
      "getting wider. It is a <b>support vector</b>.",
    show: {...ONE_START, step: 300},
  },
  {
    title: "Why only the nearest rival counts",
    text: "Measure along p how far each token lies behind the star. Times the length of p, that is its lag in logits, and " +
      "attention falls exponentially with the lag. So as p grows, the nearest rival gets a thousand times the attention " +
      "of any other, then a million times: soon it alone still steers p. <b>Try it: move the round token without a ring " +
      "a little, and the line stays. Move the ringed one, and it turns.</b>",
    show: {...ONE_START, step: 300},
  },
  {
    title: "The start can matter",
    text: "The token of score 0.8 has a band of its own, and the rival on its edge scores lower. Near the " +
      "<span class=\"lmm\">blue line</span> training therefore gains nothing by leaving, though the star would be better: " +
      "a local optimum. The colors show where each start of p ends. <b>Tap the plane to choose a start.</b>",
    show: {step: 300, basins: true, band: false},
  },
]
