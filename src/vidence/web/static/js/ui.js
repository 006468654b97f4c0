// Small parts that every page shares: icons, times, notices, loading.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { follow } from "./api.js";
import { stageName, t } from "./i18n.js";

const PATHS = {
  play: "M8 5v14l11-7z", pause: "M7 5h4v14H7zM13 5h4v14h-4z", back: "M6 5h2v14H6zM19 5v14l-9-7z", forward: "M16 5h2v14h-2zM5 5v14l9-7z",
  sound: "M4 9v6h4l5 4V5L8 9zM16 8.5a4.5 4.5 0 0 1 0 7M18.5 6a8 8 0 0 1 0 12", mute: "M4 9v6h4l5 4V5L8 9zM16 9l5 6M21 9l-5 6",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5", search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5L21 21",
  sun: "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM12 1v3M12 20v3M1 12h3M20 12h3M4.2 4.2l2.1 2.1M17.7 17.7l2.1 2.1M4.2 19.8l2.1-2.1M17.7 6.3l2.1-2.1",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z", plus: "M12 5v14M5 12h14", minus: "M5 12h14", fit: "M4 12h16M7 9l-3 3 3 3M17 9l3 3-3 3",
  send: "M4 12l16-8-6 16-3-7z", stop: "M6 6h12v12H6z", check: "M5 13l4.5 4.5L19 7", about: "M5 9c2.5-2.5 5-2.5 7 0s4.500 2.500 7 0M5 15c2.500-2.500 5-2.500 7 0s4.500 2.500 7 0",
  cross: "M6 6l12 12M18 6L6 18", trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13", film: "M4 5h16v14H4zM8 5v14M16 5v14M4 9.500h4M4 14.500h4M16 9.500h4M16 14.500h4",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z", bolt: "M13 3L5 14h6l-1 7 8-11h-6z", clock: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4l3 2",
  captions: "M3 6h18v12H3zM7 13.500h4M13 13.500h4M7 10.500h2M11 10.500h6", download: "M12 4v11M7 11l5 5 5-5M4 20h16", talk: "M4 5h16v11H9l-5 4z", chevron: "M9 6l6 6-6 6", scissors: "M6 6.500a2.500 2.500 0 1 1 0 .01zM6 17.500a2.500 2.500 0 1 1 0 .01zM8 8l12 9M8 16L20 7",
  graph: "M6 6a2 2 0 1 1 0 .01zM18 8a2 2 0 1 1 0 .01zM10 18a2 2 0 1 1 0 .01zM7.500 7l9 1M7 8l2.500 8M11.500 17l5.500-7", globe: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18", tool: "M14 7a4 4 0 0 0-5 5l-6 6 3 3 6-6a4 4 0 0 0 5-5l-2.500 2.500L12 10z", page: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7",
};
const FILLED = new Set(["play", "pause", "back", "forward", "stop", "send", "bolt"]);

export const Icon = ({ name }) => html`<svg class=${`icon ${FILLED.has(name) ? "filled" : ""}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;

export const IconButton = ({ icon, label, ...rest }) => html`<button type="button" class="icon-button" aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} /></button>`;

export function clockTime(seconds, withTenths = false) {
  const whole = Math.max(0, seconds || 0);
  const h = Math.floor(whole / 3600), m = Math.floor((whole % 3600) / 60), s = Math.floor(whole % 60);
  const two = (n) => String(n).padStart(2, "0");
  const tail = `${two(m)}:${two(s)}${withTenths ? `.${Math.floor((whole * 10) % 10)}` : ""}`;
  return h ? `${h}:${tail}` : tail;
}

export const spanTime = (start, end) =>
  clockTime(start) === clockTime(end) ? clockTime(start) : `${clockTime(start)}–${clockTime(end)}`;

export const percent = (value) => `${Math.round(value * 100)} %`;

export const bytes = (value) =>
  value > 1e9 ? `${(value / 1e9).toFixed(1)} GB` : value > 1e6 ? `${(value / 1e6).toFixed(1)} MB` : `${Math.ceil(value / 1e3)} kB`;

const SOURCES = { speech: "said", spoken: "said", screen: "onScreen", sounds: "heard" };
// What a found moment rests on, in words: what is said, heard, on screen or seen.
export const sourceWords = (sources) => [...new Set((sources || []).map((one) => t(SOURCES[one] || "seen")))].join(" · ");

export const dateTime = (seconds, language) =>
  new Date(seconds * 1000).toLocaleString(language === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });

export const message = (problem) => (problem.status === 0 ? t("unreachable") : problem.message);

// Load something when its keys change; returns {data, error, reload, set}.
export function useLoad(load, keys) {
  const [state, set] = useState({ data: null, error: null });
  const turn = useRef(0);
  const reload = () => {
    const mine = ++turn.current;
    return load().then(
      (data) => mine === turn.current && set({ data, error: null }),
      (error) => mine === turn.current && set((old) => ({ data: old.data, error })),
    );
  };
  useEffect(() => {
    set({ data: null, error: null });
    reload();
    return () => { turn.current += 1; };
  }, keys);
  return { ...state, reload, set: (data) => set({ data, error: null }) };
}

export const Loading = () => html`<p class="loading" role="status">${t("loading")}</p>`;
export const Notice = ({ children, kind = "error" }) => html`<p class=${`notice ${kind}`} role=${kind === "error" ? "alert" : "status"}>${children}</p>`;

export const Progress = ({ value, label }) => html`<div class="bar" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(value * 100)}><i style=${{ width: `${Math.round(value * 1000) / 10}%` }} /></div>`;

export const isActive = (job) => job.state === "queued" || job.state === "running";

// The stages of a running job as they go on.
export function useStages(job) {
  const [stages, set] = useState({});
  const id = job && job.state === "running" ? job.job_id : null;
  useEffect(() => {
    set({});
    return id ? follow(id, { onEvent: (event) => event.kind === "progress" && set(event.data.stages), onEnd: () => {} }) : undefined;
  }, [id]);
  return stages;
}

// How far each part of some work is.
export const StageBars = ({ stages }) => html`<div class="stages">${Object.entries(stages || {}).map(([stage, done]) => html`<label key=${stage} class=${done >= 1 ? "done" : ""}><span>${stageName(stage.split(": ").pop())}</span><${Progress} value=${done} label=${stageName(stage)} /></label>`)}</div>`;

// Whether the keyboard is writing in a field.
export const inField = (target) => !!target && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable);
