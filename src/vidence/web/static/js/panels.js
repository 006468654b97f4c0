// The panels under the player: transcript, report, chapters and the search of one video.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { api, url } from "./api.js";
import { language, t } from "./i18n.js";
import { useClock } from "./player.js";
import { clockTime, Icon, Loading, message, Notice, spanTime, useLoad } from "./ui.js";

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
      <h3><button class="at" onClick=${() => seek(scene.start_time)}>${spanTime(scene.start_time, scene.end_time)}</button> ${t("scene", { n: number + 1 })}</h3>
      ${data.shots.filter((shot) => shot.start_time >= scene.start_time - 0.01 && shot.start_time < scene.end_time - 0.01).map((shot) => html`<div class="report-shot" key=${shot.segment_id}>
        <button class="report-thumb" onClick=${() => seek(shot.start_time)} aria-label=${spanTime(shot.start_time, shot.end_time)}><img src=${url.thumbnail(video.video_id, (shot.start_time + shot.end_time) / 2)} alt="" loading="lazy" /></button>
        <div><p>${shot.caption || "–"}</p>${PARTS.filter(([part]) => shot[part].length).map(([part, word]) => html`<p class="quiet"><b>${t(word)}</b> ${shot[part].slice(0, 8).map((one) => (part === "words" || part === "text" ? `“${one}”` : one)).join(language() === "zh" ? "、" : ", ")}</p>`)}</div>
      </div>`)}
    </section>`)}
  </div>`;
}

// Scenes as chapters, each with the caption of its longest shot.
export function Chapters({ video, lanes, seek, clock }) {
  const scenes = lanes ? lanes.scenes : [];
  const current = useClock(clock, (time) => scenes.findIndex((one) => time >= one.start_time && time < one.end_time));
  if (!lanes) return html`<${Loading} />`;
  if (!scenes.length) return html`<p class="quiet">${t("notIndexed")}</p>`;
  const words = language() === "zh" ? "zh" : "en";
  const title = (scene) => {
    const shots = lanes.shots.filter((one) => one.start_time >= scene.start_time - 0.01 && one.start_time < scene.end_time - 0.01);
    const longest = shots.reduce((a, b) => (!a || b.end_time - b.start_time > a.end_time - a.start_time ? b : a), null);
    return longest ? longest[words] : "";
  };
  return html`<ol class="chapters">${scenes.map((scene, i) => html`<li key=${scene.segment_id} class=${i === current ? "now" : ""}><button onClick=${() => seek(scene.start_time)}>
    <img src=${url.thumbnail(video.video_id, (scene.start_time + scene.end_time) / 2)} alt="" loading="lazy" />
    <span><b>${spanTime(scene.start_time, scene.end_time)}</b> ${title(scene)}</span></button></li>`)}</ol>`;
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
      <img src=${url.thumbnail(hit.video_id, (hit.start_time + hit.end_time) / 2)} alt="" loading="lazy" /><span><b>${spanTime(hit.start_time, hit.end_time)}</b> ${hit.sources.join(", ")}</span></button>`)}</div>` : html`<p class="quiet" role="status">${t("nothing")}</p>`)}
  </div>`;
}
