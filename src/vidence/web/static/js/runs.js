// Runs: everything that was asked so far, and any kept run step by step, repeated without a model.

import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { api, url } from "./api.js";
import { language, t } from "./i18n.js";
import { AnswerView, Entries, entriesOf } from "./talk.js";
import { dateTime, Icon, IconButton, Loading, message, Notice, useLoad } from "./ui.js";

const STEP_MS = 450;

export const Runs = ({ trace }) => (trace ? html`<${Run} key=${trace} trace=${trace} />` : html`<${RunList} />`);

function RunList() {
  const [count, setCount] = useState(30);
  const { data, error } = useLoad(() => api.get("/traces", { limit: count }), [count]);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  return html`<div class="runs"><h1>${t("runs")}</h1><p class="quiet">${t("runsHint")}</p>
    ${!data.length ? html`<p class="quiet">${t("noRuns")}</p>` : html`<ul class="run-list">${data.map((one) => html`<li key=${one.trace_id}><a href=${`#/runs/${one.trace_id}`}>
      ${one.video_ids.length === 1 ? html`<img src=${url.poster(one.video_ids[0])} alt="" loading="lazy" />` : html`<span class="no-poster"><${Icon} name=${{ react: "graph", monitor: "globe" }[one.loop] || "film"} /></span>`}
      <span class="run-text"><b>${one.question}</b><span>${one.answer}</span></span>
      <span class="run-facts"><${Score} score=${one.confidence_score} /><span class="quiet">${dateTime(one.started_at, language())}</span></span></a></li>`)}</ul>`}
    ${data.length === count && count < 200 && html`<button class="more" onClick=${() => setCount(Math.min(200, count + 60))}>${t("more")}</button>`}
  </div>`;
}

const Score = ({ score }) => score !== null && html`<span class="dots" role="img" aria-label=${`${t("confidence")} ${score}/5`}>${[1, 2, 3, 4, 5].map((n) => html`<i class=${n <= score ? "on" : ""} />`)}</span>`;

// One run: its steps one after the other, as they happened, and the check that a repetition gives the same bytes.
function Run({ trace }) {
  const { data, error } = useLoad(() => api.get(`/traces/${trace}/run`), [trace]);
  const [shown, setShown] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const total = data ? data.events.length : 0;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  useEffect(() => { if (data) { setShown(calm ? total : 0); setPlaying(!calm); } }, [data]);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (shown >= total) { setPlaying(false); return undefined; }
    const timer = setTimeout(() => setShown(shown + 1), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, shown, total]);
  const events = useMemo(() => (data ? data.events.map((event) => ({ kind: event.kind, data: event })) : []), [data]);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  const toggle = () => { if (shown >= total) setShown(0); setPlaying(!isPlaying); };
  const open = (moment) => { location.hash = `#/watch/${moment.video_id}?t=${moment.start_time}`; };
  const job = { kind: "trace", state: "done", error: null, given: { question: data.question }, result: data.result && { answer: { ...data.result, trace_id: trace }, proofs: data.proofs, claims: data.claims } };
  return html`<div class="runs run">
    <p><a href="#/runs">← ${t("runs")}</a></p>
    <h1>${data.question}</h1>
    <p class="quiet">${dateTime(data.started_at, language())} · ${data.loop.replaceAll("_", " ")} · ${data.engine}</p>
    <div class="scrub"><${IconButton} icon=${isPlaying ? "pause" : "play"} label=${isPlaying ? t("pause") : t("play")} onClick=${toggle} />
      <input type="range" min="0" max=${total} value=${shown} aria-label=${t("steps")} onInput=${(e) => { setPlaying(false); setShown(Number(e.target.value)); }} /><span class="time">${shown} / ${total}</span></div>
    <${Entries} entries=${entriesOf(events.slice(0, shown))} />
    ${shown >= total && (job.result ? html`<${AnswerView} job=${job} onMoment=${open} />` : html`<${Notice}>${data.answer}<//>`)}
  </div>`;
}
