// The plane, as SVG over a canvas.

import {
  COLORS, directionColor, inputColor, markOutline, setAttributes, show, SVG_NAMESPACE, svgElement,
} from "./marks.js"

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Point} Point */
/** @typedef {import("./training.js").Path} Path */
/** @typedef {import("./training.js").TokenSolution} TokenSolution */

const HALO_RADIUS = 30
const TOKEN_RADIUS = 7
const HIT_RADIUS = 20
const LABELLED_TOKENS = 9

/**
 * A direction that training may reach.
 * @typedef {object} Target
 * @property {string} name such as "GMM", "LMM 2" or "relaxed SVM"
 * @property {string} color CSS color
 * @property {TokenSolution} solution
 */

/**
 * What is drawn in the plane.
 * @typedef {object} Scene
 * @property {State} state
 * @property {Target[]} targets
 * @property {number} shown index of the target whose band and support vectors are drawn, or -1
 * @property {boolean[][]} best whether a token is one that its input should select
 * @property {Float64Array} attention (n, T) at the step shown
 * @property {{input: number, token: number} | null} chosen
 * @property {number} bandInput input whose margin band is drawn
 * @property {Path | null} path path that is followed
 * @property {number} record record of the path that is shown
 * @property {Path[]} others
 * @property {Float64Array | null} regpath (R, 2)
 * @property {Float64Array | null} head direction of the label SVM, where v is trained
 * @property {boolean} playing
 */

/**
 * Basins on a grid of starts.
 * @typedef {object} BasinMap
 * @property {[number, number]} x
 * @property {[number, number]} y
 * @property {number} columns
 * @property {number} rows
 * @property {ArrayLike<number>} values index of a target, or -1; row by row from y[0]
 */

/** The plane: an SVG over a canvas, and the map between its pixels and the plane. */
export class Plane {
  /**
   * @param {SVGSVGElement} svg
   * @param {HTMLCanvasElement} canvas
   */
  constructor(svg, canvas) {
    this.svg = svg
    this.canvas = canvas
    this.size = 600
    this.view = {x: 0, y: 0, span: 1}
    /** @type {Record<string, SVGElement>} */
    this.layers = {}
    for (const name of ["grid", "cones", "band", "regpath", "others", "halos", "rays", "path", "tokens", "prompt"]) {
      this.layers[name] = svgElement("g", {class: name})
      svg.append(this.layers[name])
    }
    /** @type {SVGElement[][]} */
    this.tokens = []
    this.start = this.makeStart()
    /** @type {BasinMap | null} */
    this.basins = null
    this.gridKey = ""
    this.basinKey = ""
  }

  /** @returns {SVGElement} */
  makeStart() {
    const start = svgElement("g", {class: "start", tabindex: "0", role: "button", "data-start": "1"},
      svgElement("circle", {r: HIT_RADIUS, fill: "transparent"}), svgElement("circle", {r: 14, class: "focus"}),
      svgElement("circle", {r: 5.5, fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 2}))
    return start
  }

  /** @param {number} x @returns {number} */
  px(x) { return ((x - this.view.x) / this.view.span + 1) * this.size / 2 }

  /** @param {number} y @returns {number} */
  py(y) { return (1 - (y - this.view.y) / this.view.span) * this.size / 2 }

  /**
   * Return the point of the plane at a place of the window.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Point}
   */
  pointAt(clientX, clientY) {
    const box = this.svg.getBoundingClientRect()
    return {
      x: this.view.x + (2 * (clientX - box.left) / box.width - 1) * this.view.span,
      y: this.view.y - (2 * (clientY - box.top) / box.height - 1) * this.view.span,
    }
  }

  /**
   * Draw everything but the basins.
   * @param {Scene} scene
   */
  draw(scene) {
    const {state} = scene
    this.view = {x: state.x, y: state.y, span: state.span}
    this.size = this.svg.clientWidth || 600
    setAttributes(this.svg, {viewBox: `0 0 ${this.size} ${this.size}`})
    this.drawGrid()
    this.drawCones(scene)
    this.drawBand(scene)
    this.drawRays(scene)
    this.drawPaths(scene)
    this.drawTokens(scene)
    this.drawPrompt(scene)
  }

  drawGrid() {
    const {x, y, span} = this.view
    const key = [x, y, span, this.size].join()
    if (key === this.gridKey) { return }
    this.gridKey = key
    const step = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200].find(s => 2 * span / s <= 9) ?? 500
    const parts = []
    for (let k = Math.ceil((x - span) / step); k * step <= x + span; k++) {
      parts.push(this.gridLine(this.px(k * step), null, k, step))
    }
    for (let k = Math.ceil((y - span) / step); k * step <= y + span; k++) {
      parts.push(this.gridLine(null, this.py(k * step), k, step))
    }
    this.layers.grid.replaceChildren(...parts.flat())
  }

  /**
   * Return a line of the grid and its label.
   * @param {number | null} px of a vertical line
   * @param {number | null} py of a horizontal one
   * @param {number} k
   * @param {number} step
   * @returns {SVGElement[]}
   */
  gridLine(px, py, k, step) {
    const [x1, x2] = px === null ? [0, this.size] : [px, px]
    const [y1, y2] = py === null ? [0, this.size] : [py, py]
    const line = svgElement("line", {x1, x2, y1, y2, stroke: k ? "var(--grid)" : "var(--axis)", "stroke-width": 1})
    const text = show(k * step)
    const fits = px === null ? y1 > 20 && y1 < this.size - 20 : x1 > 14 && x1 < this.size - 20
    if (!fits) { return [line] }
    const place = px === null ? {x: 5, y: y1 - 4} : {x: x1 + 4, y: this.size - 6}
    return [line, svgElement("text", {...place, class: "halo", "font-size": 11}, text)]
  }

  /** @param {Scene} scene */
  drawCones({state, targets}) {
    const reach = 3 * (state.span + Math.hypot(state.x, state.y))
    const wedges = !state.cones ? [] : targets.map(({solution, color}) => {
      const [low, high] = solution.cone
      const count = Math.max(2, Math.ceil((high - low) / 0.5))
      const points = [`${this.px(0)} ${this.py(0)}`]
      for (let k = 0; k <= count; k++) {
        const angle = low + (high - low) * k / count
        points.push(`${this.px(reach * Math.cos(angle)).toFixed(1)} ${this.py(reach * Math.sin(angle)).toFixed(1)}`)
      }
      return svgElement("path", {d: `M${points.join("L")}Z`, fill: color, opacity: 0.1})
    })
    this.layers.cones.replaceChildren(...wedges)
  }

  /** @param {Scene} scene */
  drawBand({state, targets, shown, bandInput}) {
    const target = state.band ? targets[shown] : undefined
    if (!target) {
      this.layers.band.replaceChildren()
      return
    }
    const {weights, direction, norm, selected} = target.solution
    const token = state.inputs[bandInput]?.[selected[bandInput]]
    if (!token) { return }
    const level = weights[0] * token.x + weights[1] * token.y
    const [near, far] = [level / norm, (level - 1) / norm]
    const reach = 3 * (state.span + Math.hypot(state.x, state.y))
    const corner = (/** @type {number} */ along, /** @type {number} */ across) => [
      this.px(direction[0] * along - direction[1] * across), this.py(direction[1] * along + direction[0] * across)]
    const line = (/** @type {number} */ along) => {
      const [[x1, y1], [x2, y2]] = [corner(along, -reach), corner(along, reach)]
      return svgElement("line", {x1, y1, x2, y2, stroke: target.color, "stroke-width": 1.5, opacity: 0.75})
    }
    const outline = [corner(near, -reach), corner(near, reach), corner(far, reach), corner(far, -reach)]
    this.layers.band.replaceChildren(
      svgElement("path", {d: `M${outline.map(c => c.map(n => n.toFixed(1)).join(" ")).join("L")}Z`, fill: target.color,
        opacity: 0.12}), line(near), line(far))
  }

  /**
   * Return where the ray from the origin leaves the window, a margin inside its edge; null where it does not show.
   * @param {number} dx
   * @param {number} dy
   * @param {number} margin pixels
   * @returns {[number, number] | null}
   */
  edge(dx, dy, margin) {
    const [x0, y0] = [this.px(0), this.py(0)]
    const [low, high] = [margin, this.size - margin]
    let [enter, leave] = [0, Infinity]
    for (const [origin, step] of [[x0, dx], [y0, -dy]]) {
      if (Math.abs(step) < 1e-12) {
        if (origin < low || origin > high) { return null }
        continue
      }
      const [a, b] = [(low - origin) / step, (high - origin) / step]
      enter = Math.max(enter, Math.min(a, b))
      leave = Math.min(leave, Math.max(a, b))
    }
    return leave > enter ? [x0 + leave * dx, y0 - leave * dy] : null
  }

  /** @param {Scene} scene */
  drawRays({state, targets, shown, head}) {
    const rays = !state.rays ? [] : targets.map(({name, color, solution}, k) => this.ray(solution.direction, name, color, k, k === shown))
    if (head && state.rays) { rays.push(this.ray(head, "v: label SVM", directionColor(1), -1, false)) }
    this.layers.rays.replaceChildren(...rays.flat())
  }

  /**
   * @param {ArrayLike<number>} direction
   * @param {string} name
   * @param {string} color
   * @param {number} index
   * @param {boolean} strong
   * @returns {SVGElement[]}
   */
  ray(direction, name, color, index, strong) {
    const end = this.edge(direction[0], direction[1], 0)
    const label = this.edge(direction[0], direction[1], 30)
    if (!end || !label) { return [] }
    const ends = {x1: this.px(0), y1: this.py(0), x2: end[0], y2: end[1]}
    const place = this.beside(label, direction[0], direction[1], 1, 70)
    return [
      svgElement("line", {...ends, stroke: color, "stroke-width": strong ? 3 : 2, "stroke-dasharray": "8 6"}),
      svgElement("line", {...ends, stroke: "transparent", "stroke-width": 14, "data-target": index}),
      svgElement("text", {...place, class: "halo",
        style: `fill: ${color}; font-weight: 600`}, name)]
  }

  /**
   * Return attributes of a text beside a ray, on its upper side (1) or its lower one (-1).
   * @param {number[]} place on the ray, in pixels
   * @param {number} dx of the ray, which has length 1
   * @param {number} dy
   * @param {1 | -1} side
   * @param {number} room pixels that the text needs
   * @returns {Record<string, string | number>}
   */
  beside([x, y], dx, dy, side, room) {
    const [nx, ny] = (dx > 0 ? [-dy, -dx] : [dy, dx]).map(n => n * side)
    const anchor = x > this.size - room ? "end" : x < room ? "start" : Math.abs(nx) < 0.4 ? "middle" : nx > 0 ? "start" : "end"
    return {x: x + 14 * nx, y: Math.max(12, Math.min(this.size - 6, y + 14 * ny + 4)), "text-anchor": anchor}
  }

  /**
   * Return the outline of some records of a path, without points that are closer than half a pixel.
   * @param {ArrayLike<number>} points flat pairs
   * @param {number} first
   * @param {number} last
   * @returns {string}
   */
  outline(points, first, last) {
    const parts = []
    let [x0, y0] = [NaN, NaN]
    for (let k = first; k <= last; k++) {
      const [x, y] = [this.px(points[2 * k]), this.py(points[2 * k + 1])]
      if (!Number.isFinite(x) || !Number.isFinite(y)) { break }
      const far = Math.max(Math.abs(x), Math.abs(y)) > 1e5
      if (far || !(Math.abs(x - x0) + Math.abs(y - y0) < 0.5) || k === last) {
        const clipped = [x, y].map(n => Math.max(-1e5, Math.min(1e5, n)).toFixed(1))
        parts.push(clipped.join(" "))
        ;[x0, y0] = [x, y]
        if (far) { break }
      }
    }
    return parts.length ? `M${parts.join("L")}` : ""
  }

  /** @param {Scene} scene */
  drawPaths({state, path, record, others, regpath}) {
    const faint = others.map(other => this.outline(other.p, 0, other.steps.length - 1))
    const starts = others.map(other => `M${this.px(other.p[0]).toFixed(1)} ${this.py(other.p[1]).toFixed(1)}h0`)
    this.layers.others.replaceChildren(
      svgElement("path", {d: faint.join(""), fill: "none", stroke: "var(--path)", "stroke-width": 1.2, opacity: 0.6}),
      svgElement("path", {d: starts.join(""), stroke: "var(--path)", "stroke-width": 6, "stroke-linecap": "round"}))
    if (regpath) {
      const count = regpath.length / 2
      const dots = Array.from({length: count}, (_, k) =>
        `M${this.px(regpath[2 * k]).toFixed(1)} ${this.py(regpath[2 * k + 1]).toFixed(1)}h0`)
      this.layers.regpath.replaceChildren(
        svgElement("path", {d: this.outline(regpath, 0, count - 1), fill: "none", stroke: "var(--d3)",
          "stroke-width": 2, "stroke-dasharray": "2 4"}),
        svgElement("path", {d: dots.join(""), stroke: "var(--d3)", "stroke-width": 5, "stroke-linecap": "square"}))
    } else {
      this.layers.regpath.replaceChildren()
    }
    if (!path) {
      this.layers.path.replaceChildren()
      return
    }
    const last = state.ahead ? path.steps.length - 1 : record
    const lines = [
      svgElement("path", {d: this.outline(path.p, 0, last), fill: "none", stroke: "var(--ink)", "stroke-width": 1.5,
        opacity: 0.4}),
      svgElement("path", {d: this.outline(path.p, 0, record), fill: "none", stroke: "var(--ink)", "stroke-width": 2.5,
        "stroke-linecap": "round"})]
    if (state.joint && path.v) {
      const common = {fill: "none", stroke: directionColor(1)}
      lines.push(svgElement("path", {d: this.outline(path.v, 0, last), ...common, "stroke-width": 1.5, opacity: 0.4}),
        svgElement("path", {d: this.outline(path.v, 0, record), ...common, "stroke-width": 2.5}))
    }
    this.layers.path.replaceChildren(...lines)
  }

  /** @param {Scene} scene */
  drawTokens(scene) {
    const {state, targets, shown, best, attention, chosen, playing} = scene
    this.matchTokens(state)
    const T = state.inputs[0].length
    const solution = targets[shown]?.solution
    const labelled = state.inputs.length * T <= LABELLED_TOKENS
    /** @type {SVGElement[]} */
    const halos = []
    /** @type {Map<string, number>} */
    const above = new Map()
    state.inputs.forEach((tokens, i) => tokens.forEach((token, t) => {
      const [x, y] = [this.px(token.x), this.py(token.y)]
      const share = attention[i * T + t]
      halos.push(svgElement("circle", {cx: x, cy: y, r: TOKEN_RADIUS + HALO_RADIUS * Math.sqrt(share || 0),
        fill: inputColor(i), opacity: 0.25}))
      const held = state.band && solution?.support[i * T + t]
      if (held) {
        halos.push(svgElement("circle", {cx: x, cy: y, r: 14, fill: "none", stroke: targets[shown].color,
          "stroke-width": 3}))
      }
      const isChosen = chosen?.input === i && chosen.token === t
      const [, , focus, mark, text] = /** @type {Element[]} */ ([null, ...this.tokens[i][t].children])
      setAttributes(this.tokens[i][t], {transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
        "aria-pressed": String(isChosen)})
      setAttributes(focus, {style: isChosen ? "stroke: var(--ink)" : "", "stroke-dasharray": isChosen ? "4 3" : "none"})
      // Tokens at one place are drawn ever smaller, so that all of them show.
      const place = `${token.x},${token.y}`
      const rank = above.get(place) ?? 0
      above.set(place, rank + 1)
      const radius = TOKEN_RADIUS + 2 * sharing(state, token) - 3 * rank
      setAttributes(mark, {d: markOutline(i, best[i][t], Math.max(2.5, radius))})
      const caption = labelled ? state.joint ? `input ${i + 1}` : show(token.score) : ""
      if (text.textContent !== caption) { text.textContent = caption }
      if (!playing) {
        const parts = [`Token ${t + 1} of input ${i + 1} at ${show(token.x)}, ${show(token.y)}`,
          state.joint ? "" : `score ${show(token.score)}`, `attention ${Math.round(100 * share)} percent`,
          held ? `support vector of ${targets[shown].name}` : ""]
        setAttributes(this.tokens[i][t], {"aria-label": parts.filter(Boolean).join("; ")})
      }
    }))
    this.layers.halos.replaceChildren(...halos)
  }

  /**
   * Make new elements for all tokens if the number of tokens has changed.
   * @param {State} state
   */
  matchTokens(state) {
    const key = (/** @type {any[][]} */ lists) => lists.map(list => list.length).join()
    if (key(this.tokens) === key(state.inputs)) { return }
    this.tokens = state.inputs.map((tokens, i) => tokens.map((_, t) =>
      svgElement("g", {class: "token", tabindex: "0", role: "button", "data-input": String(i), "data-token": String(t)},
        svgElement("circle", {r: HIT_RADIUS, fill: "transparent"}), svgElement("circle", {r: 18, class: "focus"}),
        svgElement("path", {fill: inputColor(i), stroke: "var(--paper)", "stroke-width": 1.5}),
        svgElement("text", {x: 12, y: -11, class: "halo"}))))
    this.layers.tokens.replaceChildren(this.start, ...this.tokens.flat())
  }

  /** @param {Scene} scene */
  drawPrompt({state, path, record, playing}) {
    const start = state.starts[state.focus]
    setAttributes(this.start, {transform: `translate(${this.px(start.x).toFixed(2)} ${this.py(start.y).toFixed(2)})`})
    if (!playing) { setAttributes(this.start, {"aria-label": `Start of p at ${show(start.x)}, ${show(start.y)}`}) }
    if (!path) {
      this.layers.prompt.replaceChildren()
      return
    }
    const parts = this.arrow(path.p[2 * record], path.p[2 * record + 1], "p", "var(--ink)", record ? 0 : 7)
    if (state.joint && path.v) {
      parts.push(...this.arrow(path.v[2 * record], path.v[2 * record + 1], "v", directionColor(1), 0))
    }
    this.layers.prompt.replaceChildren(...parts)
  }

  /**
   * Return an arrow from the origin to a point; at the edge of the window where the point is outside.
   * @param {number} x
   * @param {number} y
   * @param {string} name
   * @param {string} color
   * @param {number} gap pixels between the tip and the point
   * @returns {SVGElement[]}
   */
  arrow(x, y, name, color, gap) {
    const length = Math.hypot(x, y)
    if (!(length > 0)) {
      return [svgElement("circle", {cx: this.px(0), cy: this.py(0), r: 4, fill: color, class: "tip"}),
        svgElement("text", {x: this.px(0) - 14, y: this.py(0) + 16, class: "halo strong"}, name)]
    }
    const [ux, uy] = [x / length, -y / length]
    const inside = Math.max(Math.abs(x - this.view.x), Math.abs(y - this.view.y)) <= this.view.span * (1 - 12 / this.size)
    const end = inside ? [this.px(x), this.py(y)] : this.edge(x / length, y / length, 12)
    if (!end) { return [] }
    const tip = [end[0] - gap * ux, end[1] - gap * uy]
    const back = [tip[0] - 11 * ux, tip[1] - 11 * uy]
    const head = [tip, [back[0] - 6 * uy, back[1] + 6 * ux], [back[0] + 6 * uy, back[1] - 6 * ux]]
    const text = inside ? name : `${name}, length ${show(length)}`
    const place = inside ? {x: end[0] + 12, y: end[1] + (uy < 0 ? 16 : 4)}
      : this.beside([tip[0] - 90 * ux, tip[1] - 90 * uy], x / length, y / length, -1, 110)
    return [
      svgElement("line", {x1: this.px(0), y1: this.py(0), x2: back[0], y2: back[1], stroke: color, "stroke-width": 2}),
      svgElement("path", {d: `M${head.map(c => c.map(n => n.toFixed(1)).join(" ")).join("L")}Z`, fill: color,
        class: "tip"}),
      svgElement("text", {...place, class: "halo", style: `fill: ${color}; font-weight: 600`}, text)]
  }

  /**
   * Draw the basins, or clear them if `map` is null. Do nothing if basins, view and colors are as last drawn.
   * @param {BasinMap | null} map
   * @param {Target[]} targets
   */
  drawBasins(map, targets) {
    const style = getComputedStyle(this.svg)
    const key = [this.view.x, this.view.y, this.view.span, this.size, style.getPropertyValue("--d0")].join()
    if (map === this.basins && key === this.basinKey) { return }
    this.basins = map
    this.basinKey = key
    const pixels = Math.round(this.size * (window.devicePixelRatio || 1))
    if (this.canvas.width !== pixels) { this.canvas.width = this.canvas.height = pixels }
    const context = this.canvas.getContext("2d")
    if (!context) { return }
    context.clearRect(0, 0, pixels, pixels)
    if (!map) { return }
    const channels = targets.map(({color}) => hexChannels(style.getPropertyValue(color.slice(4, -1))))
    const small = document.createElement("canvas")
    ;[small.width, small.height] = [map.columns, map.rows]
    const image = new ImageData(map.columns, map.rows)
    for (let row = 0; row < map.rows; row++) {
      for (let column = 0; column < map.columns; column++) {
        const color = channels[map.values[row * map.columns + column]]
        if (color) { image.data.set([...color, 70], 4 * ((map.rows - 1 - row) * map.columns + column)) }
      }
    }
    small.getContext("2d")?.putImageData(image, 0, 0)
    const scale = pixels / this.size
    // The values stand at the nodes of the grid: each cell reaches half a spacing beyond its node.
    const half = [(map.x[1] - map.x[0]) / (map.columns - 1) / 2, (map.y[1] - map.y[0]) / (map.rows - 1) / 2]
    const [left, right] = [this.px(map.x[0] - half[0]), this.px(map.x[1] + half[0])]
    const [top, bottom] = [this.py(map.y[1] + half[1]), this.py(map.y[0] - half[1])]
    context.imageSmoothingEnabled = false
    context.drawImage(small, left * scale, top * scale, (right - left) * scale, (bottom - top) * scale)
  }

  /**
   * Return the plane as a file: an SVG with its colors and the basins as an image.
   * @returns {string}
   */
  toSvgFile() {
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true))
    copy.querySelectorAll("[fill=transparent], [stroke=transparent], .focus").forEach(node => node.remove())
    copy.querySelectorAll("[tabindex]").forEach(node => {
      for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) { node.removeAttribute(name) }
    })
    const style = getComputedStyle(this.svg)
    const names = ["ink", "soft", "line", "paper", "grid", "axis", "path",
      ...Array.from({length: COLORS}, (_, k) => [`d${k}`, `i${k}`]).flat()]
    const colors = names.map(name => `--${name}:${style.getPropertyValue(`--${name}`).trim()}`).join(";")
    copy.prepend(svgElement("style", {}, `svg{${colors};background:var(--paper)}` +
      "text{font:12px system-ui,Arial,sans-serif;fill:var(--soft)}.strong{fill:var(--ink);font-weight:600}" +
      ".halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}"),
      svgElement("rect", {width: this.size, height: this.size, fill: "var(--paper)"}),
      ...(this.basins ? [svgElement("image", {width: this.size, height: this.size, href: this.canvas.toDataURL()})] : []))
    setAttributes(copy, {xmlns: SVG_NAMESPACE, width: this.size, height: this.size})
    return new XMLSerializer().serializeToString(copy)
  }
}

/**
 * Return how many other tokens have the place of this one, up to 2.
 * @param {State} state
 * @param {Point} token
 * @returns {number}
 */
function sharing(state, token) {
  return Math.min(2, state.inputs.flat().filter(({x, y}) => x === token.x && y === token.y).length - 1)
}

/**
 * Return the channels of a color such as #a1b2c3.
 * @param {string} hex
 * @returns {[number, number, number]}
 */
function hexChannels(hex) {
  const number = parseInt(hex.trim().slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}
