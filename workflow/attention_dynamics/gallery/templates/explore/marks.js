// Numbers, colors and marks, as text and as SVG.

export const SVG_NAMESPACE = "http://www.w3.org/2000/svg"
export const COLORS = 6

/**
 * Return an SVG element.
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 * @returns {SVGElement}
 */
export function svgElement(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG_NAMESPACE, name)
  setAttributes(element, attributes)
  element.append(...children)
  return /** @type {SVGElement} */ (element)
}

/**
 * @param {Element} element
 * @param {Record<string, string | number>} attributes
 */
export function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    const text = typeof value === "number" ? String(Math.round(value * 100) / 100) : value
    if (element.getAttribute(key) !== text) { element.setAttribute(key, text) }
  }
}

/**
 * Return a number for people: few digits, a true minus sign.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function show(value, digits = 3) {
  if (!Number.isFinite(value)) { return "–" }
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [mantissa, exponent] = value.toExponential(1).split("e")
    return `${mantissa.replace("-", "−")}·${powerOfTen(Number(exponent))}`
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−")
}

/**
 * Return a power of ten for people.
 * @param {number} exponent
 * @returns {string}
 */
export function powerOfTen(exponent) {
  if (exponent === 0) { return "1" }
  return `10${[...String(exponent)].map(digit => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)])).join("")}`
}

/**
 * Return the color of tokens of an input.
 * @param {number} input
 * @returns {string}
 */
export function inputColor(input) {
  return `var(--i${input % COLORS})`
}

/**
 * Return the color of a direction.
 * @param {number} index
 * @returns {string}
 */
export function directionColor(index) {
  return `var(--d${index % COLORS})`
}

/**
 * Return the outline of a token's mark around the origin: a star for the best token, else a shape per input.
 * @param {number} input
 * @param {boolean} best
 * @param {number} r
 * @returns {string}
 */
export function markOutline(input, best, r) {
  const polygon = (/** @type {number} */ corners, /** @type {number} */ turn, /** @type {number} */ inner) => {
    const points = []
    const count = inner ? 2 * corners : corners
    for (let k = 0; k < count; k++) {
      const angle = (2 * Math.PI * k) / count + turn
      const radius = inner && k % 2 ? r * inner : r * (inner ? 1.45 : 1.15)
      points.push(`${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`)
    }
    return `M${points.join("L")}Z`
  }
  if (best) { return polygon(5, 0, 0.6) }
  switch (input % COLORS) {
    case 0: return `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`
    case 1: return polygon(4, Math.PI / 4, 0)
    case 2: return polygon(3, 0, 0)
    case 3: return polygon(4, 0, 0)
    case 4: return polygon(3, Math.PI, 0)
    default: return polygon(6, 0, 0)
  }
}
