// The library: adding videos, their index progress, and the list of all of them.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { api, followAll, upload, url } from "./api.js";
import { stageName, t } from "./i18n.js";
import { bytes, clockTime, Icon, IconButton, isActive, Loading, message, Notice, Progress, StageBars, useStages } from "./ui.js";

const PAGE = 60;

export function Library({ info }) {
  const [items, setItems] = useState(null);
  const [total, setTotal] = useState(0);
  const [filter, setFilter] = useState("");
  const [problem, setProblem] = useState("");
  const [jobs, setJobs] = useState({});
  const shown = useRef({ count: PAGE, filter: "", videos: new Set() });

  // Load the first `count` videos, or those after `known`.
  const load = async (count, query, known = []) => {
    shown.current = { ...shown.current, count, filter: query };
    try {
      const found = [...known];
      let page;
      do {
        page = await api.get("/videos", { offset: found.length, limit: Math.min(200, count - found.length), query });
        found.push(...page.items);
      } while (found.length < Math.min(count, page.total) && page.items.length);
      if (shown.current.filter !== query) return;
      shown.current.videos = new Set(found.map((one) => one.video_id));
      setItems(found);
      setTotal(page.total);
    } catch (error) {
      setProblem(message(error));
    }
  };

  useEffect(() => { const timer = setTimeout(() => load(PAGE, filter), filter ? 200 : 0); return () => clearTimeout(timer); }, [filter]);

  useEffect(() => {
    let before = new Set();
    return followAll((active) => {
      const indexing = active.filter((job) => job.kind === "index");
      setJobs(Object.fromEntries(indexing.map((job) => [job.subject, job])));
      const now = new Set(indexing.map((job) => job.job_id));
      const isNew = indexing.some((job) => !shown.current.videos.has(job.subject));
      if (isNew || [...before].some((id) => !now.has(id))) load(shown.current.count, shown.current.filter);
      before = now;
    });
  }, []);

  const reload = () => load(shown.current.count, shown.current.filter);
  const remove = async (video) => {
    if (!confirm(t("removeAsk", { name: video.name }))) return;
    await api.remove(`/videos/${video.video_id}`).catch((error) => setProblem(message(error)));
    reload();
  };
  const index = (video) => api.post("/index", { video: video.video_id }).then(reload, (error) => setProblem(message(error)));

  return html`<div class="library">
    <p class="lead">${t("libraryLead")}</p>
    <${AddVideos} info=${info} onAdded=${reload} onProblem=${setProblem} />
    ${problem && html`<${Notice}>${problem}<//>`}
    ${items && (total > 0 || filter) && html`<div class="library-head">
      <h1>${t("library")} <small>${t(total === 1 ? "videosOne" : "videosN", { n: total.toLocaleString() })}</small></h1>
      <input type="search" value=${filter} onInput=${(e) => setFilter(e.target.value)} placeholder=${t("searchFiles")} aria-label=${t("searchFiles")} />
    </div>`}
    ${!items ? html`<${Loading} />` : items.length ? html`<ul class="cards">
      ${items.map((video) => html`<${Card} key=${video.video_id} video=${video} job=${jobs[video.video_id] || video.job} onRemove=${remove} onIndex=${index} />`)}
    </ul>` : filter ? html`<p class="quiet">${t("nothing")}</p>` : html`<div class="empty"><h1>${t("emptyTitle")}</h1><p>${t("emptyHint")}</p></div>`}
    ${items && items.length < total && html`<${More} key=${items.length} onMore=${() => load(items.length + PAGE * 2, filter, items)} />`}
  </div>`;
}

// The end of the list so far: whoever scrolls near it, or presses it, gets more.
function More({ onMore }) {
  const button = useRef(null);
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) { watch.disconnect(); onMore(); } }, { rootMargin: "800px" });
    watch.observe(button.current);
    return () => watch.disconnect();
  }, []);
  return html`<button class="more" ref=${button} onClick=${onMore}>${t("more")}</button>`;
}

function Card({ video, job, onRemove, onIndex }) {
  const failures = Object.keys(video.problems).length;
  const active = job && isActive(job);
  const stages = useStages(active ? job : null);
  return html`<li class="card">
    <a class="poster" href=${`#/watch/${video.video_id}`} aria-label=${video.name}>
      <img src=${url.poster(video.video_id)} alt="" loading="lazy" decoding="async" />
      <span class="length">${clockTime(video.duration_s)}</span><span class="play-hint"><${Icon} name="play" /></span>
    </a>
    <div class="card-body">
      <a class="card-name" href=${`#/watch/${video.video_id}`} title=${video.name}>${video.name}</a>
      <div class="card-line">
        ${active ? html`<span class="state busy">${job.state === "queued" ? t("queued") : `${t("indexing")}: ${stageName(job.note || "…")}`}</span>`
          : video.is_indexed ? html`<span class="state ready"><${Icon} name="check" /> ${t("indexed")}</span>`
          : html`<button class="small" onClick=${() => onIndex(video)}>${t("index")}</button>`}
        <span class="quiet">${video.width}×${video.height} · ${bytes(video.size_bytes)}</span>
        <${IconButton} icon="trash" label=${`${t("remove")}: ${video.name}`} onClick=${() => onRemove(video)} />
      </div>
      ${active && html`<${Progress} value=${job.progress} label=${`${t("indexing")} ${video.name}`} />`}
      ${active && Object.keys(stages).length > 0 && html`<details class="stage-details"><summary>${t("stagesTitle")}</summary><${StageBars} stages=${stages} /></details>`}
      ${!active && failures > 0 && html`<details class="failures"><summary>${t("failedStages", { n: failures })}</summary>
        ${Object.entries(video.problems).map(([stage, error]) => html`<p><b>${stageName(stage)}</b>: ${error}</p>`)}</details>`}
    </div>
  </li>`;
}

function AddVideos({ info, onAdded, onProblem }) {
  const [path, setPath] = useState("");
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState([]);
  const input = useRef(null);

  const change = (key, values) => setSending((all) => all.map((one) => (one.key === key ? { ...one, ...values } : one)));
  const send = async (files) => {
    onProblem("");
    const fresh = [...files].map((file) => ({ key: `${file.name}:${file.size}:${Math.random()}`, file, done: 0, error: "" }));
    setSending((all) => [...all.filter((one) => one.error), ...fresh]);
    for (const one of fresh) {
      try {
        await upload(one.file, (done) => change(one.key, { done }));
        setSending((all) => all.filter((other) => other.key !== one.key));
        onAdded();
      } catch (error) {
        change(one.key, { error: message(error) });
      }
    }
  };
  const addPath = async (event) => {
    event.preventDefault();
    if (!path.trim()) return;
    onProblem("");
    try {
      const added = await api.post("/videos", { path: path.trim() });
      if (added.problems.length) onProblem(added.problems.slice(0, 3).join(" "));
      else setPath("");
      onAdded();
    } catch (error) {
      onProblem(message(error));
    }
  };
  const drop = (event) => { event.preventDefault(); setOver(false); send(event.dataTransfer.files); };

  return html`<section class=${`add ${over ? "over" : ""}`} aria-label=${t("addTitle")}
      onDragOver=${(e) => { e.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <p class="add-hint"><${Icon} name="film" /> ${over ? t("dropHere") : t("addHint")}</p>
    <div class="add-row">
      <input ref=${input} class="visually-hidden" type="file" id="files" multiple accept="video/*,.mkv,.ts,.mts,.m2ts,.flv,.wmv,.mxf,.vob" tabindex="-1" aria-label=${t("addFiles")} onChange=${(e) => { send(e.target.files); e.target.value = ""; }} />
      <button type="button" class="primary" onClick=${() => input.current.click()}>${t("addFiles")}</button>
      ${info && info.allows_paths && html`<form class="add-path" onSubmit=${addPath}>
        <input value=${path} onInput=${(e) => setPath(e.target.value)} placeholder=${t("addPath")} aria-label=${t("addPath")} spellcheck="false" autocomplete="off" />
        <button type="submit">${t("add")}</button>
      </form>`}
    </div>
    ${sending.map((one) => html`<div class="sending" key=${one.key}>
      <span>${one.file.name}</span>
      ${one.error ? html`<span class="bad" role="alert">${one.error}</span>` : html`<${Progress} value=${one.done} label=${`${t("uploading")} ${one.file.name}`} />`}
    </div>`)}
  </section>`;
}
