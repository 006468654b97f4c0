// The tool library: each tool with where it came from and what its admission test measured.

import { html } from "../vendor/preact.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { Loading, message, Notice, useLoad } from "./ui.js";

export function Tools() {
  const { data, error } = useLoad(() => api.get("/tools"), []);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  return html`<div class="topics"><h1>${t("tools")} <small>${data.length}</small></h1><p class="quiet">${t("toolsHint")}</p>
    <ul class="tool-list">${data.map((one) => html`<li key=${one.tool.tool_name} class="tool"><h2>${one.tool.tool_name} <span class="phase">${one.origin}</span></h2><p>${one.tool.description}</p>
      ${one.admission ? html`<table><thead><tr><th>${t("measured", { q: one.admission.questions, v: one.admission.videos })}</th><th>${t("without")}</th><th>${t("with")}</th></tr></thead>
        <tbody>${[["calls", "operations"], ["tokens", "tokens"], ["seconds", "secondsWord"], ["right", "rightAnswers"]].map(([key, word]) => html`<tr><td>${t(word)}</td><td>${round(one.admission[key][0])}</td><td>${round(one.admission[key][1])}</td></tr>`)}</tbody></table><p class="quiet">p = ${one.admission.p_value.toPrecision(2)} · ${one.admission.reason}</p>` : html`<p class="quiet">${t("notMeasured")}</p>`}
      ${one.learned_from.length > 0 && html`<details><summary class="quiet">${t("learnedFrom")}</summary><ul>${one.learned_from.map((question) => html`<li>${question}</li>`)}</ul></details>`}
      <details><summary class="quiet">JSON</summary><pre tabindex="0">${JSON.stringify(one.tool, null, 2)}</pre></details></li>`)}</ul></div>`;
}

const round = (value) => (Number.isInteger(value) ? value : value.toFixed(1));
