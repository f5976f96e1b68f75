// Filters, sorting and folded parts. Without this script, everything is shown in the order of the papers.
"use strict"

const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const forms = new Map()
// An item has a value itself, or the group that it is in.
const valuesOf = (node, name) => node.closest(`[data-${name}]`).dataset[name].split(" ")

// A form with data-filters shows the items of its section that have its words and values, and groups that have such
// items. What it is set to stands in the address, as in #statements?paper=max_margin&verdict=partly.
for (const form of all("form[data-filters]")) {
  const section = form.parentElement
  const items = all("[data-item]", section).map(node => ({node, text: ""}))
  const groups = all("[data-group]", section).map(node => ({node, open: node.open}))
  const fields = [...form.elements].filter(({name}) => name)
  let filtered = false
  const show = () => {
    const chosen = fields.filter(({value}) => value)
    const words = form.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const item of items) {
      const {node} = item
      if (words.length) item.text ||= `${node.textContent} ${node.dataset.text ?? ""}`.toLowerCase()
      const fits = words.every(word => item.text.includes(word)) &&
        chosen.every(({name, value}) => name == "search" || valuesOf(node, name).includes(value))
      node.hidden = !fits
      shown += fits
    }
    for (const {node, open} of groups) {
      node.hidden = !node.querySelector("[data-item]:not([hidden])")
      if (chosen.length || filtered) node.open = chosen.length > 0 || open
    }
    filtered = chosen.length > 0
    form.querySelector("output").value = `${shown} of ${items.length} shown`
    return chosen
  }
  const change = () => {
    const query = new URLSearchParams(show().map(({name, value}) => [name, value]))
    history.replaceState(null, "", `#${section.id}${query.size ? "?" : ""}${query}`)
  }
  forms.set(section.id, query => {
    for (const field of fields) field.value = query.get(field.name) ?? ""
    show()
  })
  form.hidden = false
  form.addEventListener("input", change)
  form.addEventListener("submit", event => event.preventDefault())
  form.addEventListener("reset", () => setTimeout(change))
  // Browsers restore what was chosen when one comes back.
  addEventListener("pageshow", show)
}

// The heads of sortable tables become buttons. Numbers are compared as such, texts by the alphabet.
const key = (row, column) => row.cells[column].textContent.trim()
const compare = (a, b) => a - b || a.localeCompare(b, "en", {numeric: true})

for (const table of all("table.sortable")) {
  const heads = all("thead th", table), body = table.tBodies[0]
  heads.forEach((head, column) => {
    const button = document.createElement("button")
    button.type = "button"
    button.append(...head.childNodes)
    head.append(button)
    button.addEventListener("click", () => {
      const direction = head.ariaSort == "ascending" ? -1 : 1
      heads.forEach(other => other.removeAttribute("aria-sort"))
      head.ariaSort = direction > 0 ? "ascending" : "descending"
      const rows = [...body.rows].sort((a, b) => direction * compare(key(a, column), key(b, column)))
      body.append(...rows)
    })
  })
}

// Folded parts open where an address leads into them, and in print.
const open = node => {
  for (; node; node = node.parentElement) {
    if (node.tagName == "DETAILS") node.open = true
  }
}
const follow = () => {
  const [id, query] = decodeURIComponent(location.hash.slice(1)).split("?")
  const target = document.getElementById(id)
  if (query) forms.get(id)?.(new URLSearchParams(query))
  open(target)
  target?.scrollIntoView()
}
addEventListener("hashchange", follow)
if (location.hash) follow()
addEventListener("beforeprint", () => all("main details").forEach(open))

// Arrow keys turn the pages of figures.
addEventListener("keydown", event => {
  const rel = {ArrowLeft: "prev", ArrowRight: "next"}[event.key]
  const busy = event.target.closest("input, select, pre") || event.altKey || event.ctrlKey || event.metaKey
  if (rel && !busy) document.querySelector(`a[rel=${rel}]`)?.click()
})
