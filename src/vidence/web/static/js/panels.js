// The panels under the player: transcript, report, chapters and the search of one video.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { api, follow, url } from "./api.js";
import { language, t } from "./i18n.js";
import { useClock } from "./player.js";
import { clockTime, Icon, isActive, Loading, message, Notice, sourceWords, spanTime, StageBars, useLoad } from "./ui.js";

export function Transcript({ video, clock, seek, mark }) {
  const { data, error, set } = useLoad(() => api.get(`/videos/${video.video_id}/transcript`), [video.video_id, video.is_indexed]);
  const [followed, setFollowed] = useState(true);
  const list = useRef(null);
  const said = data ? data.utterances : [];
  const current = useClock(clock, (time) => said.findIndex((one) => time >= one.start_time - 0.05 && time < one.end_time + 0.4));
  useEffect(() => {
    const row = followed && list.current && list.current.children[current];
    // Not scrollIntoView: that would move the whole page too.
    if (row) list.current.scrollTop = row.offsetTop - list.current.clientHeight / 3;
  }, [current, followed]);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  if (!said.length) return html`<p class="quiet">${data.is_done ? t("noSpeech") : t("notTranscribed")}</p>`;
  const rename = (speaker, name) => api.put(`/videos/${video.video_id}/speakers`, { names: { [speaker]: name } }).then((found) => set({ ...data, names: found.names }));
  const isMarked = (one) => mark && mark.video_id === video.video_id && one.start_time < mark.end_time && one.end_time > mark.start_time;
  return html`<div class="transcript">
    <div class="panel-tools">
      <label><input type="checkbox" checked=${followed} onChange=${(e) => setFollowed(e.target.checked)} /> ${t("follow")}</label>
      <span class="spacer" />
      ${["srt", "vtt"].map((form) => html`<a class="small button" href=${url.subtitles(video.video_id, form)} download=${`${video.name.replace(/\.[^.]*$/, "")}.${form}`}><${Icon} name="download" /> ${form.toUpperCase()}</a>`)}
    </div>
    <ol ref=${list} tabindex="0" aria-label=${t("transcript")}>${said.map((one, i) => html`<li key=${i} class=${`${i === current ? "now" : ""} ${isMarked(one) ? "marked" : ""}`}>
      <button class="at" onClick=${() => seek(one.start_time)}>${clockTime(one.start_time)}</button>
      <div>${one.speaker && html`<${Speaker} id=${one.speaker} name=${data.names[one.speaker]} onRename=${rename} />`}<span class="said" onClick=${() => seek(one.start_time)}>${one.text}</span></div>
    </li>`)}</ol>
  </div>`;
}

function Speaker({ id, name, onRename }) {
  const [editing, setEditing] = useState(false);
  const save = (event) => { event.preventDefault(); setEditing(false); onRename(id, event.target.elements.name.value); };
  if (!editing) return html`<button class="speaker" title=${t("renameSpeaker", { speaker: id })} onClick=${() => setEditing(true)}>${name || id.replace("_", " ")}</button>`;
  return html`<form class="speaker-form" onSubmit=${save}><input name="name" maxlength="80" value=${name || ""} aria-label=${t("renameSpeaker", { speaker: id })} ref=${(field) => field && field.focus()} /><button class="small">${t("save")}</button></form>`;
}

const PARTS = [["objects", "seen"], ["words", "said"], ["sounds", "heard"], ["text", "onScreen"]];

export function Report({ video, seek }) {
  const { data, error } = useLoad(() => api.get(`/videos/${video.video_id}/report`, { language: language() }), [video.video_id, video.is_indexed, language()]);
  if (!video.is_indexed) return html`<p class="quiet">${t("notIndexed")}</p>`;
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  return html`<div class="report">
    <div class="panel-tools"><span class="spacer" /><a class="small button" href=${`/api/videos/${video.video_id}/page?language=${language()}`} target="_blank" rel="noopener"><${Icon} name="page" /> HTML</a></div>
    ${data.scenes.map((scene, number) => html`<section key=${scene.segment_id}>
      <h2><button class="at" onClick=${() => seek(scene.start_time)}>${spanTime(scene.start_time, scene.end_time)}</button> ${t("scene", { n: number + 1 })}</h2>
      ${data.shots.filter((shot) => shot.start_time >= scene.start_time - 0.01 && shot.start_time < scene.end_time - 0.01).map((shot) => html`<div class="report-shot" key=${shot.segment_id}>
        <button class="report-thumb" onClick=${() => seek(shot.start_time)} aria-label=${spanTime(shot.start_time, shot.end_time)}><img src=${url.thumbnail(video.video_id, (shot.start_time + shot.end_time) / 2)} alt="" loading="lazy" /></button>
        <div><p>${shot.caption || "–"}</p>${PARTS.filter(([part]) => shot[part].length).map(([part, word]) => html`<p class="quiet"><b>${t(word)}</b> ${shot[part].slice(0, 8).map((one) => (part === "words" || part === "text" ? `“${one}”` : one)).join(language() === "zh" ? "、" : ", ")}</p>`)}</div>
      </div>`)}
    </section>`)}
  </div>`;
}

// The summary of a video: what it is about, chapter by chapter; each sentence leads to its moment.
export function Chapters({ video, lanes, seek, clock }) {
  const { job, stages, error, again } = useSummary(video);
  const summary = job && job.result ? job.result.summary : null;
  const chapters = !summary ? [] : summary.chapters.length > 1 || !lanes ? summary.chapters : scenesOf(lanes);
  const current = useClock(clock, (time) => chapters.findIndex((one) => time >= one.start_time && time < one.end_time));
  if (!video.is_indexed) return html`<p class="quiet">${t("notIndexed")}</p>`;
  if (error) return html`<${Notice}>${error}<//>`;
  if (!job || job.state === "queued" || job.state === "running") return html`<div class="making" role="status"><span class="pulse" /> ${t("summarising")} ${job && html`<button class="small stop" onClick=${() => api.post(`/jobs/${job.job_id}/cancel`).catch(() => {})}><${Icon} name="stop" /> ${t("stop")}</button>`}<${StageBars} stages=${stages} /></div>`;
  if (!summary) return html`<div><${Notice} kind=${job.error ? "error" : "info"}>${job.error || t("stopped")}<//><button class="small" onClick=${again}>${t("tryAgain")}</button></div>`;
  const sentences = (claims) => claims.map((claim, i) => html`${i > 0 && summary.language !== "zh" ? " " : ""}<${Sentence} key=${i} claim=${claim} seek=${seek} />`);
  return html`<div class="summary" lang=${summary.language}>
    ${summary.about.length > 0 && html`<p class="about">${sentences(summary.about)}</p>`}
    <ol class="chapters">${chapters.map((one, i) => html`<li key=${i} class=${i === current ? "now" : ""}>
      <button class="chapter-thumb" onClick=${() => seek(one.start_time)} aria-label=${`${spanTime(one.start_time, one.end_time)} ${one.title}`}><img src=${url.thumbnail(video.video_id, (one.start_time + one.end_time) / 2)} alt="" loading="lazy" /></button>
      <div><h2><button class="at" onClick=${() => seek(one.start_time)}>${spanTime(one.start_time, one.end_time)}</button>${one.title}</h2><p>${sentences(one.claims)}</p></div></li>`)}</ol>
    ${[["highlights", summary.highlights], ["unusual", summary.unusual]].filter(([, claims]) => claims.length).map(([name, claims]) => html`<section key=${name}><h2>${t(name)}</h2><ul class="told">${claims.map((claim, i) => html`<li key=${i}><${Sentence} claim=${claim} seek=${seek} /></li>`)}</ul></section>`)}
    <p class="quiet">${summary.read_by ? t("writtenBy", { engine: summary.read_by }) : t("fromNotes")}${job.result.gaps.map((gap) => html`<br />${gap}`)}</p>
  </div>`;
}

// A short video is one chapter; then its scenes are shown, each with the captions of its longest shots.
function scenesOf(lanes) {
  const words = language() === "zh" ? "zh" : "en";
  return lanes.scenes.map((scene, i) => {
    const shots = lanes.shots.filter((one) => one.start_time >= scene.start_time - 0.01 && one.start_time < scene.end_time - 0.01 && one[words]);
    const longest = [...shots].sort((a, b) => b.end_time - b.start_time - (a.end_time - a.start_time)).slice(0, 2).sort((a, b) => a.start_time - b.start_time);
    const claims = longest.map((one) => ({ text: one[words], citations: [{ start_time: one.start_time, end_time: one.end_time }] }));
    return { start_time: scene.start_time, end_time: scene.end_time, title: t("scene", { n: i + 1 }), claims };
  });
}

// A sentence that the program checked; a click shows what it rests on.
function Sentence({ claim, seek }) {
  const at = claim.citations.find((one) => one.start_time !== null);
  return at ? html`<a class="sentence" href=${`#${at.start_time}`} title=${spanTime(at.start_time, at.end_time ?? at.start_time)} onClick=${(e) => { e.preventDefault(); seek(at.start_time); }}>${claim.text}</a>` : html`<span>${claim.text}</span>`;
}

// The job that summarises a video in the page's language; one that was made already comes at once.
function useSummary(video) {
  const [state, set] = useState({ job: null, stages: {}, error: "" });
  const [turn, setTurn] = useState(0);
  const spoken = language();
  useEffect(() => {
    let close = () => {}, here = true;
    set({ job: null, stages: {}, error: "" });
    if (video.is_indexed) api.post("/summarise", { video: video.video_id, language: spoken }).then((job) => {
      if (!here) return;
      set({ job, stages: {}, error: "" });
      if (isActive(job)) close = follow(job.job_id, { onEvent: (event) => event.kind === "progress" && set((old) => ({ ...old, stages: event.data.stages })), onEnd: (ended) => set({ job: ended, stages: {}, error: "" }) });
    }, (error) => here && set({ job: null, stages: {}, error: message(error) }));
    return () => { here = false; close(); };
  }, [video.video_id, video.is_indexed, spoken, turn]);
  return { ...state, again: () => setTurn(turn + 1) };
}

export function SearchVideo({ video, onHits, seek, field }) {
  const [text, setText] = useState("");
  const [state, setState] = useState({ hits: null, error: "" });
  const submit = async (event) => {
    event.preventDefault();
    if (!text.trim()) { setState({ hits: null, error: "" }); onHits([]); return; }
    try {
      const found = await api.get("/search", { q: text.trim(), video: video.video_id, limit: 12 });
      setState({ hits: found.results, error: "" });
      onHits(found.results);
      if (found.results.length) seek(found.results[0].start_time);
    } catch (error) {
      setState({ hits: null, error: message(error) });
    }
  };
  return html`<div class="search-video">
    <form onSubmit=${submit} role="search"><input ref=${field} type="search" value=${text} onInput=${(e) => setText(e.target.value)} placeholder=${t("searchVideo")} aria-label=${t("searchVideo")} /><button type="submit" class="icon-button" aria-label=${t("search")}><${Icon} name="search" /></button></form>
    ${state.error && html`<${Notice}>${state.error}<//>`}
    ${state.hits && (state.hits.length ? html`<div class="hits">${state.hits.map((hit, i) => html`<button key=${i} class="moment" onClick=${() => seek(hit.start_time)}>
      <img src=${url.thumbnail(hit.video_id, (hit.start_time + hit.end_time) / 2)} alt="" loading="lazy" /><span><b>${spanTime(hit.start_time, hit.end_time)}</b> ${sourceWords(hit.sources)}</span></button>`)}</div>` : html`<p class="quiet" role="status">${t("nothing")}</p>`)}
  </div>`;
}
