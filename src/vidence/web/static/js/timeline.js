// The timeline: lanes of what the index knows, with zoom and a playhead that is a slider for the keyboard.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { url } from "./api.js";
import { language, t } from "./i18n.js";
import { useClock } from "./player.js";
import { clockTime, IconButton, sourceWords, spanTime } from "./ui.js";

const MAX_ZOOM_PX_PER_S = 240;
const STRIP_H = 54;

export function Timeline({ video, lanes, clock, seek, hits, evidence, mark, onMoment }) {
  const scroller = useRef(null);
  const [width, setWidth] = useState(800);
  const [zoom, setZoom] = useState(1);
  const [left, setLeft] = useState(0);
  const duration = Math.max(video.duration_s, 0.1);
  const most = Math.max(1, (MAX_ZOOM_PX_PER_S * duration) / width);
  const full = width * zoom;
  const view = [(left / full) * duration, ((left + width) / full) * duration];
  const margin = view[1] - view[0];
  const visible = (start, end) => end >= view[0] - margin && start <= view[1] + margin;

  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setWidth(Math.max(50, scroller.current.clientWidth)));
    watch.observe(scroller.current);
    return () => watch.disconnect();
  }, []);

  const zoomTo = (value, around = clock.time) => {
    const next = Math.max(1, Math.min(most, value));
    const box = scroller.current;
    const offset = (around / duration) * full - box.scrollLeft;
    setZoom(next);
    requestAnimationFrame(() => { box.scrollLeft = (around / duration) * width * next - offset; setLeft(box.scrollLeft); });
  };
  const wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomTo(zoom * (event.deltaY < 0 ? 1.25 : 0.8), timeAt(event));
  };
  const timeAt = (event) => {
    const box = scroller.current.getBoundingClientRect();
    return Math.max(0, Math.min(duration, ((event.clientX - box.left + scroller.current.scrollLeft) / full) * duration));
  };
  const drag = (event) => {
    if (event.button !== 0) return;
    const span = event.target.closest("[data-start]");
    seek(span ? Number(span.dataset.start) : timeAt(event));
    const move = (moved) => seek(timeAt(moved));
    const up = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", up); };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  };
  const place = (start, end) => ({ left: `${(start / duration) * 100}%`, width: `max(2px, ${((end - start) / duration) * 100}%)` });

  // Keep the playhead in view while it plays.
  const page = useClock(clock, (time) => Math.floor(((time / duration) * full) / Math.max(1, width * 0.8)));
  useEffect(() => {
    const x = (clock.time / duration) * full, box = scroller.current;
    if (zoom > 1 && (x < box.scrollLeft || x > box.scrollLeft + width)) box.scrollLeft = x - width * 0.1;
  }, [page, zoom]);

  const rows = [];
  const spans = (list, kind, text) => list.filter((one) => visible(one.start_time, one.end_time)).map((one, i) => html`<i key=${i} class=${`span ${kind} ${one.extra || ""}`} data-start=${one.start_time} style=${place(one.start_time, one.end_time)} title=${`${spanTime(one.start_time, one.end_time)}  ${text(one)}`}><b>${text(one)}</b></i>`);
  const words = language() === "zh" ? "zh" : "en";
  if (evidence.length) rows.push(["evidence", t("laneEvidence"), spans(evidence.map((one) => ({ ...one, extra: mark && same(mark, one) ? "on" : "" })), "proof", (one) => one.line.replace(/^\[[^\]]*\]\s*/, ""))]);
  if (hits.length) rows.push(["hits", t("laneHits"), spans(hits, "hit", (one) => sourceWords(one.sources))]);
  if (lanes) {
    if (lanes.scenes.length > 1) rows.push(["scenes", t("laneScenes"), spans(lanes.scenes.map((one, i) => ({ ...one, extra: i % 2 ? "odd" : "" })), "scene", (one) => t("scene", { n: lanes.scenes.findIndex((other) => other.segment_id === one.segment_id) + 1 }))]);
    if (lanes.speech.length) rows.push(["speech", t("laneSpeech"), spans(lanes.speech, "speech", (one) => one.text)]);
    if (lanes.texts.length) rows.push(["ocr", t("laneTexts"), spans(lanes.texts, "ocr", (one) => one.text)]);
    if (lanes.sounds.length) rows.push(["sounds", t("laneSounds"), spans(lanes.sounds, "sound", (one) => (words === "zh" && one.zh) || one.text)]);
    for (const one of lanes.identities) {
      const number = lanes.identities.filter((other) => other.category === one.category).indexOf(one) + 1;
      const name = `${words === "zh" ? one.zh : one.category} ${number}`;
      rows.push([one.identity_id, name, spans(one.spans.map(([start_time, end_time]) => ({ start_time, end_time })), one.category === "person" ? "person" : "thing", () => name), one.category === "person" ? "person" : "thing"]);
    }
  }
  const shots = lanes ? lanes.shots.filter((one) => visible(one.start_time, one.end_time)) : [];

  return html`<section class="timeline" aria-label=${t("timeline")}>
    <div class="timeline-head">
      <span class="quiet keys-help" title=${t("keysHelp")}>${t("keysHelp")}</span>
      <${IconButton} icon="minus" label=${t("zoomOut")} onClick=${() => zoomTo(zoom / 1.6)} disabled=${zoom <= 1} />
      <${IconButton} icon="plus" label=${t("zoomIn")} onClick=${() => zoomTo(zoom * 1.6)} disabled=${zoom >= most} />
      <${IconButton} icon="fit" label=${t("fit")} onClick=${() => zoomTo(1)} disabled=${zoom <= 1} />
    </div>
    <div class="timeline-body">
      <div class="lane-names" aria-hidden="true">
        <span class="strip-name">${t("laneShots")}</span>
        ${rows.map(([key, name, , kind = key]) => html`<span key=${key} class=${`of-${kind}`} title=${name}>${name}</span>`)}
      </div>
      <div class="lanes" ref=${scroller} onScroll=${(e) => setLeft(e.target.scrollLeft)} onWheel=${wheel} tabindex="-1">
        <div class="lanes-inner" style=${{ width: `${zoom * 100}%` }} onPointerDown=${drag}>
          <${Playhead} clock=${clock} duration=${duration} seek=${seek} />
          <div class="strip" aria-hidden="true">
            ${shots.map((one) => html`<i key=${one.segment_id} class="shot" data-start=${one.start_time} style=${place(one.start_time, one.end_time)} title=${`${spanTime(one.start_time, one.end_time)}  ${one[words]}`}>
              ${((one.end_time - one.start_time) / duration) * full > 14 && html`<img src=${url.thumbnail(video.video_id, (one.start_time + one.end_time) / 2)} alt="" loading="lazy" height=${STRIP_H} />`}
            </i>`)}
            ${lanes && lanes.scenes.slice(1).filter((one) => visible(one.start_time, one.start_time)).map((one) => html`<u key=${one.segment_id} style=${{ left: `${(one.start_time / duration) * 100}%` }} />`)}
          </div>
          ${rows.map(([key, , content]) => html`<div key=${key} class="lane" aria-hidden="true">${content}</div>`)}
        </div>
      </div>
    </div>
  </section>`;
}

const same = (a, b) => a.record_id === b.record_id && a.start_time === b.start_time && a.end_time === b.end_time;

function Playhead({ clock, duration, seek }) {
  const time = useClock(clock, (now) => Math.round(now * 20) / 20);
  const keys = (event) => {
    const moves = { Home: 0, End: duration, PageUp: time - 30, PageDown: time + 30 };
    if (event.key in moves) {
      event.preventDefault();
      seek(moves[event.key]);
    }
  };
  return html`<div class="playhead" style=${{ left: `${(time / duration) * 100}%` }} role="slider" tabindex="0" aria-label=${t("timeline")}
    aria-valuemin="0" aria-valuemax=${Math.round(duration)} aria-valuenow=${Math.round(time)} aria-valuetext=${clockTime(time)} onKeyDown=${keys} />`;
}
