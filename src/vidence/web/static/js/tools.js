// The tool library: each tool as a chain of operations, with what its admission test measured.

import { html } from "../vendor/preact.js";
import { api } from "./api.js";
import { language, t } from "./i18n.js";
import { operationName } from "./talk.js";
import { Icon, Loading, message, Notice, useLoad } from "./ui.js";

const FIGURES = [["calls", "operations"], ["tokens", "tokens"], ["seconds", "secondsWord"], ["right", "rightAnswers"]];

export function Tools() {
  const { data, error } = useLoad(() => api.get("/tools"), []);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  return html`<div class="tools-page"><h1>${t("tools")} <small>${data.length}</small></h1><p class="quiet">${t("toolsHint")}</p>
    <ul class="tool-list">${data.map((one) => html`<${ToolCard} key=${one.tool.tool_name} entry=${one} />`)}</ul></div>`;
}

function ToolCard({ entry: { tool, origin, admission, learned_from: learned, purposes } }) {
  const inputs = Object.entries(tool.inputs || {});
  return html`<li class="tool"><h2><${Icon} name="tool" /> ${tool.tool_name.replaceAll("_", " ")} <span class="phase">${t(`origin_${origin.replace(" ", "_")}`)}</span></h2>
    <p>${purposes[language()] || tool.description}</p>
    ${inputs.length > 0 && html`<p class="inputs">${inputs.map(([name, about]) => html`<span class="input" title=${(about && about.description) || ""}><code>${name}</code></span>`)}<span class="quiet"> → ${Object.keys(tool.outputs || {}).join(", ")}</span></p>`}
    <ol class="flow" aria-label=${t("steps")}>${stepsOf(tool.steps || []).map((step, i) => html`<li key=${i} class=${step.kind}>${step.text}</li>`)}</ol>
    ${admission ? html`<div class="admission"><p class="quiet">${t("measured", { q: admission.questions, v: admission.videos })}</p>
      ${FIGURES.map(([key, word]) => html`<${Figure} key=${key} name=${t(word)} pair=${admission[key]} />`)}
      <p class="quiet">p = ${admission.p_value.toPrecision(2)} · ${admission.reason}</p></div>` : html`<p class="quiet">${t("notMeasured")}</p>`}
    ${learned.length > 0 && html`<details><summary class="quiet">${t("learnedFrom")}</summary><ul class="told">${learned.map((question) => html`<li>${question}</li>`)}</ul></details>`}
    <details><summary class="quiet">JSON</summary><pre tabindex="0">${JSON.stringify(tool, null, 2)}</pre></details></li>`;
}

// A figure without the tool and with it, as two bars.
function Figure({ name, pair: [without, withTool] }) {
  const most = Math.max(without, withTool, 1e-9);
  const bar = (kind, value) => html`<span class=${`figure-bar ${kind}`}><i style=${{ width: `${(value / most) * 100}%` }} /><b>${round(value)}</b><span class="visually-hidden">${t(kind)}</span></span>`;
  return html`<div class="figure"><span>${name}</span><div>${bar("without", without)}${bar("with", withTool)}</div></div>`;
}

// The steps in order; those inside a loop or a condition follow their head.
function stepsOf(steps) {
  const found = [];
  for (const step of steps) {
    if (step.api) found.push({ kind: "call", text: operationName(step.api) });
    else if (step.tool) found.push({ kind: "call", text: step.tool });
    else if (step.for_each) found.push({ kind: "control", text: t("forEach", { what: plain(step.for_each) }) }, ...inner(step.do));
    else if (step.condition) found.push({ kind: "control", text: t("onlyIf", { what: plain(step.condition) }) }, ...inner(step.then));
    else if (step.aggregate) found.push({ kind: "control", text: [].concat(step.aggregate).map((one) => one.op || one).join(" → ") });
    else found.push({ kind: "control", text: Object.keys(step)[0] });
  }
  return found;
}

const inner = (part) => stepsOf([].concat(part || [])).map((one) => ({ ...one, kind: `${one.kind} inner` }));
// A condition in words: "{{count}} > 0" as it stands, a typed one as its parts.
function plain(what) {
  if (typeof what !== "object" || what === null) return String(what).replaceAll("{{", "").replaceAll("}}", "");
  if (Array.isArray(what)) return what.map(plain).join(" ");
  return Object.entries(what).map(([key, value]) => (WORDLESS.has(key) ? plain(value) : `${key} ${plain(value)}`)).join(", ");
}

const WORDLESS = new Set(["compares", "all"]);
const round = (value) => (Number.isInteger(value) ? value : value.toFixed(1));
