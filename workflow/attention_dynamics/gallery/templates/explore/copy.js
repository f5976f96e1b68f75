// Texts that repeat what the page shows with the library: a figure in YAML, and a program in Python.

/**
 * @typedef {object} Experiment  all that determines the paths of the page
 * @property {{tokens: number[][], scores: number[], label: number}[]} inputs
 * @property {boolean} joint  the head is trained; scores do not count
 * @property {import("./training.js").Settings} settings
 * @property {{p: number[], v?: number[]}[]} starts  one or more, v exactly where the head is trained
 * @property {number} steps
 */

/**
 * Return a file config/max_margin/<name>.yaml: one problem, one run and one figure.
 * @param {Experiment} experiment
 * @param {string} name  of the figure, such as ext_mine
 * @returns {string}
 */
export function toYaml(experiment, name) {
  const { joint, settings, steps } = experiment
  const references = joint
    ? ["gmm: {kind: attention_svm}", "head: {kind: label_svm}"]
    : ["gmm: {kind: attention_svm}"]
  const lines = [
    "# yaml-language-server: $schema=../schema.json",
    `# Save as config/max_margin/${name}.yaml, then run: snakemake figures/max_margin/${name}.pdf`,
    "",
    "problems:",
    `  ${name}:`,
    `    kind: ${joint ? "labelled_tokens" : "scored_tokens"}`,
    "    inputs:",
    ...inputsOf(experiment).map((input) => `      - ${flow(input)}`),
    "    references:",
    ...references.map((reference) => `      ${reference}`),
    "",
    "runs:",
    `  ${name}:`,
    `    problem: ${name}`,
    `    loss: ${settings.loss}`,
    `    optimizer: ${flow(optimizerOf(settings))}`,
    `    start: ${flow(startOf(experiment))}`,
    `    steps: ${steps}`,
    ...(settings.precision === "stable" ? [] : [`    precision: ${settings.precision}`]),
    "",
    "figures:",
    `  ${name}:`,
    "    title: Tokens moved by hand",
    `    shows: trajectories of p from ${count(experiment.starts.length, "start")}`,
    "    fidelity: extension",
    "    note: tokens, settings and starts are ours",
    `    runs: [${name}]`,
    "    plot: {kind: paths.draw}",
    "",
  ]
  return lines.join("\n")
}

/**
 * Return a Python program that trains with the library and prints the last p of every start.
 * @param {Experiment} experiment
 * @returns {string}
 */
export function toPython(experiment) {
  const { joint, settings, steps } = experiment, kind = joint ? "LabelledTokens" : "ScoredTokens"
  const lines = [
    '"""Train attention on tokens that were moved by hand."""',
    "",
    "from attention_dynamics.attention.gradient_descent import GradientDescent",
    `from attention_dynamics.problems.${joint ? "labelled_tokens" : "scored_tokens"} import ${kind}`,
    "",
    `problem = ${kind}(`,
    "    inputs=[",
    ...inputsOf(experiment).map((input) => `        ${python(input)},`),
    "    ]",
    ").build()",
    "training = GradientDescent(",
    '    model="prompt_attention",',
    `    loss="${settings.loss}",`,
    `    optimizer=${python(optimizerOf(settings))},`,
    `    start=${python(startOf(experiment))},`,
    `    steps=${steps},`,
    ...(settings.precision === "stable" ? [] : [`    precision="${settings.precision}",`]),
    ")",
    "path = training.train(problem)",
    'print(path["p"][-1, 0, :, :2].tolist())  # the last p of every start',
    "",
  ]
  return lines.join("\n")
}

/** @typedef {number | boolean | string | Value[] | {[name: string]: Value}} Value */

/** Return the inputs with the keys of the configuration. @param {Experiment} experiment @returns {Value[]} */
function inputsOf({ inputs, joint }) {
  return inputs.map(({ tokens, scores, label }) => ({ tokens, ...(joint ? {} : { scores }), label }))
}

/** Return the starts by parameter. @param {Experiment} experiment @returns {Value} */
function startOf({ starts, joint }) {
  const p = starts.map((start) => start.p)
  return joint ? { p, v: starts.map((start) => start.v ?? [0, 0]) } : { p }
}

/** Return the optimizer with the keys of the configuration.
 * @param {import("./training.js").Settings} settings @returns {Value} */
function optimizerOf({ optimizer: kind, stepSize, c, longest, momentum, exponent, normalized }) {
  if (kind === "polyak") return longest === null ? { kind, c } : { kind, c, longest }
  if (kind === "mirror_descent") return { kind, exponent, step_size: stepSize, normalized }
  if (kind === "momentum" || kind === "nesterov") return { kind, step_size: stepSize, momentum, normalized }
  return { kind, step_size: stepSize }
}

/** Return a value in YAML on one line. @param {Value} value @returns {string} */
function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `${name}: ${flow(one)}`).join(", ")}}`
  return typeof value === "number" ? decimal(value) : String(value)
}

/** Return a value in Python. @param {Value} value @returns {string} */
function python(value) {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `"${name}": ${python(one)}`).join(", ")}}`
  if (typeof value === "boolean") return value ? "True" : "False"
  return typeof value === "number" ? decimal(value) : `"${value}"`
}

/** Return a number's shortest digits, with the point that YAML wants before an exponent. @param {number} x */
function decimal(x) {
  const text = String(x)
  return text.includes("e") && !text.includes(".") ? text.replace("e", ".0e") : text
}

/** @param {number} number @param {string} noun */
function count(number, noun) {
  return number === 1 ? `one ${noun}` : `${number} ${noun}s`
}
