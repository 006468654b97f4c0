// Watch and ask: the player beside the conversation, with the timeline and the panels under it.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { api, followAll } from "./api.js";
import { language, stageName, t } from "./i18n.js";
import { Chapters, Report, SearchVideo, Transcript } from "./panels.js";
import { createClock, Player } from "./player.js";
import { Talk, videoSource } from "./talk.js";
import { Timeline } from "./timeline.js";
import { inField, Loading, message, Notice, Progress, StageBars, useLoad, useStages } from "./ui.js";

// Questions to begin with, about what the index found in this video.
function suggestionsFor(lanes) {
  const isChinese = language() === "zh";
  const found = [isChinese ? "这个视频里发生了什么？" : "What happens in this video?"];
  if (!lanes) return found;
  if (lanes.speech.length) found.push(isChinese ? "说了什么？" : "What is said?");
  if (lanes.texts.length) found.push(isChinese ? "屏幕上有什么文字？" : "What text is on screen?");
  if (lanes.identities.some((one) => one.category === "person")) found.push(isChinese ? "有几个人？" : "How many people are there?");
  const things = new Map(lanes.identities.filter((one) => one.category !== "person").map((one) => [one.category, one.zh]));
  found.push(...[...things].slice(0, 2).map(([name, zh]) => (isChinese ? `${zh}第一次出现是什么时候？` : `When does the ${name} first appear?`)));
  return found;
}

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

// What is under way for this video, stage by stage.
function Indexing({ job }) {
  const stages = useStages(job);
  return html`<section class="indexing-box" aria-label=${t("stagesTitle")}><div class="indexing"><span>${job.state === "queued" ? t("queued") : `${t("indexing")}: ${stageName(job.note || "…")}`}</span><${Progress} value=${job.progress} label=${t("indexing")} /></div><${StageBars} stages=${stages} /></section>`;
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

  // The notes of the video are read while the first question is still being typed.
  const isReady = Boolean(video.data && video.data.is_indexed);
  useEffect(() => {
    if (isReady) api.post("/prepare", { video: videoId, language: language() }).catch(() => {});
  }, [videoId, isReady, language()]);

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
      ${job ? html`<${Indexing} job=${job} />`
        : !shown.is_indexed && html`<div class="indexing"><span>${t("notIndexed")}</span><button class="small" onClick=${index}>${t("index")}</button></div>`}
      <${Timeline} video=${shown} lanes=${lanes.data} clock=${clock} seek=${seek} hits=${hits} evidence=${evidence} mark=${mark} />
      <${SearchVideo} video=${shown} onHits=${setHits} seek=${seek} field=${searchField} />
      <div class="tabs" role="tablist" aria-label=${t("info")}>${Object.keys(tabs).map((name) => html`<button key=${name} role="tab" id=${`tab-${name}`} aria-selected=${tab === name} aria-controls="panel" onClick=${() => setTab(name)}>${t(name)}</button>`)}</div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby=${`tab-${tab}`}><${Panel} video=${shown} lanes=${lanes.data} clock=${clock} seek=${seek} mark=${mark} /></div>
    </div>
    <${Talk} key=${thread} source=${videoSource(thread, [videoId])} engines=${info ? info.engines : ["embedded"]} suggestions=${suggestionsFor(lanes.data)} mark=${mark}
      onMoment=${show} onAnswer=${setResult} onNew=${() => { setMark(null); setResult(null); setThread(newThread(videoId)); }} placeholder=${t("askHint")} />
  </div>`;
}
