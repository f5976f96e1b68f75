"""JavaScript expressions with which tests check a page in a browser."""

# The text that stands out least from its ground, as contrast after WCAG and the text.
CONTRAST = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => [.2126 * r, .7152 * g, .0722 * b].map((_, k) => {
    const s = [r, g, b][k] / 255
    return [.2126, .7152, .0722][k] * (s <= .04045 ? s / 12.92 : ((s + .055) / 1.055) ** 2.4)
  }).reduce((a, b) => a + b)
  const ground = node => {
    for (; node; node = node.parentElement) {
      const color = channels(getComputedStyle(node).backgroundColor)
      if (color.length == 3 || color[3] == 1) return color
    }
    return [255, 255, 255]
  }
  const found = [...document.querySelectorAll("body *")]
    .filter(node => [...node.childNodes].some(child => child.nodeType == 3 && child.data.trim()))
    .map(node => {
      const style = getComputedStyle(node), color = node.namespaceURI.endsWith("svg") ? style.fill : style.color
      const [a, b] = [light(channels(color)), light(ground(node))]
      return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), node.outerHTML.slice(0, 200)]
    })
  return found.reduce((least, one) => one[0] < least[0] ? one : least)
})()"""
OVERFLOW = """[...document.querySelectorAll("body *")].filter(node => !node.closest("pre, svg *") &&
  node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(node => node.outerHTML.slice(0, 200))"""
FOCUSED = """(() => {
  const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect()
  return {text: node.textContent.trim(), at: [...document.querySelectorAll("*")].indexOf(node), tag: node.tagName,
    outline: style.outlineStyle == "none" ? 0 : parseFloat(style.outlineWidth),
    inside: box.bottom > 0 && box.top < innerHeight}
})()"""
