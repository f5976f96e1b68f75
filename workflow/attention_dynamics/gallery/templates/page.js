// Filters and sorting. Without this script, everything is shown in the order of the papers.
"use strict"

const all = (selector, root = document) => [...root.querySelectorAll(selector)]

// A form with data-filters shows the items that have its words and values, and sections that have such items.
for (const form of all("form[data-filters]")) {
  const items = all("[data-item]").map(node => ({node, text: `${node.textContent} ${node.dataset.text ?? ""}`.toLowerCase()}))
  const fields = all("select", form)
  const show = () => {
    const words = form.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const {node, text} of items) {
      const fits = words.every(word => text.includes(word)) &&
        fields.every(({name, value}) => !value || node.dataset[name].split(" ").includes(value))
      node.hidden = !fits
      shown += fits
    }
    for (const group of all("[data-group]")) {
      group.hidden = !group.querySelector("[data-item]:not([hidden])")
    }
    form.querySelector("output").value = `${shown} of ${items.length} shown`
  }
  form.hidden = false
  form.addEventListener("input", show)
  form.addEventListener("submit", event => event.preventDefault())
  form.addEventListener("reset", () => setTimeout(show))
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
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
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
