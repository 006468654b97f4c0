// The pages over the whole library: search, and asking all videos.

import { html, useState } from "../vendor/preact.js";
import { api, url } from "./api.js";
import { language, t } from "./i18n.js";
import { Talk, videoSource } from "./talk.js";
import { clockTime, Loading, message, Notice, percent, sourceWords, spanTime, useLoad } from "./ui.js";
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
          <div class="card-line"><span class="quiet">${sourceWords(hit.sources)}</span><span class="state">${percent(hit.confidence)}</span></div></div>
      </li>`)}</ul>`}
  </div>`;
}

const SUGGESTIONS = { en: ["Who talks about a rocket?", "When does a cat appear?", "Where is a red cup?"], zh: ["谁提到了火箭？", "猫什么时候出现？", "红色的杯子在哪里？"] };

export function AskAll({ info }) {
  const [thread, setThread] = useState(() => savedThread("all"));
  const open = (moment) => { location.hash = `#/watch/${moment.video_id}?t=${moment.start_time}`; };
  return html`<div class="ask-all"><h1>${t("askAll")}</h1>
    <${Talk} key=${thread} source=${videoSource(thread, null)} engines=${info ? info.engines : ["embedded"]} suggestions=${SUGGESTIONS[language()]} mark=${null}
      onMoment=${open} onNew=${() => setThread(newThread("all"))} placeholder=${t("askAllHint")} /></div>`;
}
