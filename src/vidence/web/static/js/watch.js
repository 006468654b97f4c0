// Watch and ask: the player beside the conversation, with the timeline and the panels under it.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { api, followAll } from "./api.js";
import { language, stageName, t } from "./i18n.js";
import { Chapters, Report, SearchVideo, Transcript } from "./panels.js";
import { createClock, Player } from "./player.js";
import { Talk } from "./talk.js";
import { Timeline } from "./timeline.js";
import { inField, Loading, message, Notice, Progress, useLoad } from "./ui.js";

const SUGGESTIONS = {
  en: ["What happens in this video?", "What is said?", "What text is on screen?", "How many people are there?"],
  zh: ["这个视频里发生了什么？", "说了什么？", "屏幕上有什么文字？", "有几个人？"],
};
const threadKey = (id) => `vidence.thread:${id}`;
const freshThread = () => `th_${crypto.getRandomValues(new Uint32Array(3)).join("")}`;

export function savedThread(id) {
  let thread = localStorage.getItem(threadKey(id));
  if (!thread) {
    thread = freshThread();
    localStorage.setItem(threadKey(id), thread);
  }
  return thread;
}

export function newThread(id) {
  localStorage.setItem(threadKey(id), freshThread());
  return savedThread(id);
}

export function Watch({ videoId, values, info }) {
  const video = useLoad(() => api.get(`/videos/${videoId}`), [videoId]);
  const lanes = useLoad(() => api.get(`/videos/${videoId}/lanes`), [videoId]);
  const clock = useMemo(createClock, [videoId]);
  const handle = useRef(null);
  const searchField = useRef(null);
  const [thread, setThread] = useState(() => values.thread || savedThread(videoId));
  const [mark, setMark] = useState(null);
  const [hits, setHits] = useState([]);
  const [result, setResult] = useState(null);
  const [tab, setTab] = useState("transcript");
  const [job, setJob] = useState(null);

  const seek = (time) => handle.current && handle.current.seek(time);
  const show = (moment) => {
    if (moment.video_id !== videoId) {
      location.hash = `#/watch/${moment.video_id}?t=${moment.start_time}`;
      return;
    }
    setMark(moment);
    handle.current.pause();
    seek(moment.start_time);
  };
  useEffect(() => { if (video.data && values.t) seek(Number(values.t)); }, [!!video.data, values.t]);
  useEffect(() => { setMark(null); setHits([]); setResult(null); setThread(values.thread || savedThread(videoId)); }, [videoId, values.thread]);

  // Indexing that is under way is shown; when it ends, what is new is loaded.
  useEffect(() => {
    let was = false;
    return followAll((jobs) => {
      const mine = jobs.find((one) => one.kind === "index" && one.subject === videoId);
      setJob(mine || null);
      if (was && !mine) { video.reload(); lanes.reload(); }
      was = !!mine;
    });
  }, [videoId]);

  useEffect(() => {
    const keys = (event) => {
      if (inField(event.target) || event.ctrlKey || event.metaKey || event.altKey || !handle.current) return;
      const player = handle.current;
      const actions = {
        k: player.toggle, " ": player.toggle, j: () => player.move(-10), l: () => player.move(10),
        ArrowLeft: () => player.move(-5), ArrowRight: () => player.move(5), ",": () => player.step(-1), ".": () => player.step(1),
        m: player.toggleMute, f: player.full, "/": () => searchField.current && searchField.current.focus(),
      };
      const action = actions[event.key] || actions[event.key.toLowerCase()];
      if (!action || (event.key === " " && event.target.tagName === "BUTTON")) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);

  if (video.error) return html`<${Notice}>${message(video.error)}<//>`;
  if (!video.data) return html`<${Loading} />`;
  const shown = video.data;
  const evidence = result ? result.proofs.flatMap((claim) => claim.moments).filter((one) => one.video_id === videoId) : [];
  const index = () => api.post("/index", { video: videoId }).catch(() => {});
  const tabs = { transcript: Transcript, chapters: Chapters, report: Report };
  const Panel = tabs[tab];

  return html`<div class="watch">
    <div class="stage">
      <h1 class="video-name" title=${shown.name}>${shown.name}</h1>
      <${Player} key=${videoId} video=${shown} clock=${clock} handle=${handle} mark=${mark} />
      ${job ? html`<div class="indexing"><span>${job.state === "queued" ? t("queued") : `${t("indexing")}: ${stageName(job.note || "…")}`}</span><${Progress} value=${job.progress} label=${t("indexing")} /></div>`
        : !shown.is_indexed && html`<div class="indexing"><span>${t("notIndexed")}</span><button class="small" onClick=${index}>${t("index")}</button></div>`}
      <${Timeline} video=${shown} lanes=${lanes.data} clock=${clock} seek=${seek} hits=${hits} evidence=${evidence} mark=${mark} />
      <${SearchVideo} video=${shown} onHits=${setHits} seek=${seek} field=${searchField} />
      <div class="tabs" role="tablist" aria-label=${t("info")}>${Object.keys(tabs).map((name) => html`<button key=${name} role="tab" id=${`tab-${name}`} aria-selected=${tab === name} aria-controls="panel" onClick=${() => setTab(name)}>${t(name)}</button>`)}</div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby=${`tab-${tab}`}><${Panel} video=${shown} lanes=${lanes.data} clock=${clock} seek=${seek} mark=${mark} /></div>
    </div>
    <${Talk} key=${thread} thread=${thread} videos=${[videoId]} engines=${info ? info.engines : ["embedded"]} suggestions=${SUGGESTIONS[language()]} mark=${mark}
      onMoment=${show} onAnswer=${setResult} onNew=${() => { setMark(null); setResult(null); setThread(newThread(videoId)); }} placeholder=${t("askHint")} />
  </div>`;
}
