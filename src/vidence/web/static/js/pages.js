// The other pages: search over all videos, asking all of them, and the runs so far.

import { html, useEffect, useState } from "../vendor/preact.js";
import { api, url } from "./api.js";
import { language, t } from "./i18n.js";
import { Talk } from "./talk.js";
import { clockTime, dateTime, Loading, message, Notice, percent, spanTime, useLoad } from "./ui.js";
import { newThread, savedThread } from "./watch.js";

export function SearchPage({ values }) {
  const { data, error } = useLoad(() => (values.q ? api.get("/search", { q: values.q, limit: 40 }) : Promise.resolve(null)), [values.q]);
  return html`<div class="search-page">
    <h1>${t("search")} ${values.q && html`<small>“${values.q}”</small>`}</h1>
    ${error ? html`<${Notice}>${message(error)}<//>` : !data ? (values.q ? html`<${Loading} />` : null) : !data.results.length ? html`<p class="quiet" role="status">${t("nothing")}</p>` : html`
      <p class="quiet" role="status">${t("results", { n: data.results.length })} · ${t(data.videos_searched === 1 ? "videosOne" : "videosN", { n: data.videos_searched })} · ${Math.round(data.search_time_ms)} ms</p>
      <ul class="cards">${data.results.map((hit, i) => html`<li class="card" key=${i}>
        <a class="poster" href=${`#/watch/${hit.video_id}?t=${hit.start_time}`} aria-label=${`${hit.video} ${clockTime(hit.start_time)}`}>
          <img src=${url.thumbnail(hit.video_id, (hit.start_time + hit.end_time) / 2)} alt="" loading="lazy" /><span class="length">${spanTime(hit.start_time, hit.end_time)}</span></a>
        <div class="card-body"><a class="card-name" href=${`#/watch/${hit.video_id}?t=${hit.start_time}`}>${hit.video}</a>
          <div class="card-line"><span class="quiet">${hit.sources.join(", ")}</span><span class="state">${percent(hit.confidence)}</span></div></div>
      </li>`)}</ul>`}
  </div>`;
}

const SUGGESTIONS = { en: ["Who talks about a rocket?", "When does a cat appear?", "Where is a red cup?"], zh: ["谁提到了火箭？", "猫什么时候出现？", "红色的杯子在哪里？"] };

export function AskAll({ info }) {
  const [thread, setThread] = useState(() => savedThread("all"));
  const open = (moment) => { location.hash = `#/watch/${moment.video_id}?t=${moment.start_time}`; };
  return html`<div class="ask-all"><h1>${t("askAll")}</h1>
    <${Talk} key=${thread} thread=${thread} videos=${null} engines=${info ? info.engines : ["embedded"]} suggestions=${SUGGESTIONS[language()]} mark=${null}
      onMoment=${open} onAnswer=${() => {}} onNew=${() => setThread(newThread("all"))} placeholder=${t("askAllHint")} /></div>`;
}

export function Runs() {
  const [count, setCount] = useState(30);
  const { data, error } = useLoad(() => api.get("/jobs", { kind: "ask", limit: count }), [count]);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  return html`<div class="runs"><h1>${t("runs")} <small>${data.total}</small></h1>
    ${!data.items.length ? html`<p class="quiet">${t("noRuns")}</p>` : html`<ul class="run-list">${data.items.map((job) => html`<li key=${job.job_id}>
      <a href=${job.subject ? `#/watch/${job.subject}?thread=${encodeURIComponent(job.thread)}` : "#/ask"}>
        ${job.subject ? html`<img src=${url.poster(job.subject)} alt="" loading="lazy" />` : html`<span class="no-poster">${t("all")}</span>`}
        <span class="run-text"><b>${job.given.question}</b><span>${job.result ? job.result.answer.answer : job.error || job.state}</span></span>
        <span class="run-facts"><span>${job.result ? `${job.result.answer.confidence_score}/5` : ""}</span><span class="quiet">${dateTime(job.created_at, language())}</span></span>
      </a></li>`)}</ul>`}
    ${data.items.length < data.total && count < 200 && html`<button class="more" onClick=${() => setCount(Math.min(200, count + 60))}>${t("more")}</button>`}
  </div>`;
}
