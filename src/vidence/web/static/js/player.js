// The player: the video, its controls, and marks over the picture. A clock tells everyone the time.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { url } from "./api.js";
import { t } from "./i18n.js";
import { clockTime, Icon, IconButton } from "./ui.js";

// The time of the player, for those who follow it.
export function createClock() {
  const followers = new Set();
  return {
    time: 0,
    set(time) {
      this.time = time;
      followers.forEach((one) => one(time));
    },
    follow(one) {
      followers.add(one);
      return () => followers.delete(one);
    },
  };
}

export function useClock(clock, pick = (time) => time) {
  const [value, set] = useState(pick(clock.time));
  const latest = useRef(pick);
  latest.current = pick;
  useEffect(() => clock.follow((time) => set(latest.current(time))), [clock]);
  return value;
}

const SPEEDS = [0.5, 1, 1.5, 2];
const NEAR_S = 0.6;

export function Player({ video, clock, handle, mark }) {
  const element = useRef(null);
  const frame = useRef(null);
  const [playing, setPlaying] = useState(false);
  const [muted, setMuted] = useState(false);
  const [captions, setCaptions] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [broken, setBroken] = useState(false);
  const step = 1 / Math.max(1, video.fps);

  const clamp = (time) => Math.max(0, Math.min(time, video.duration_s - step / 2));
  const seek = (time) => {
    const wanted = clamp(time);
    if (element.current && !broken) element.current.currentTime = wanted;
    clock.set(wanted);
  };
  const pause = () => { if (element.current) element.current.pause(); setPlaying(false); };
  const play = () => { if (broken) setPlaying(true); else element.current.play().catch(() => {}); };
  const toggle = () => (playing ? pause() : play());
  const setRate = (value) => { setSpeed(value); if (element.current) element.current.playbackRate = value; };
  const toggleMute = () => { setMuted((now) => !now); };
  const full = () => (document.fullscreenElement ? document.exitFullscreen() : frame.current.requestFullscreen());
  handle.current = { seek, pause, play, toggle, toggleMute, full, step: (frames) => { pause(); seek(clock.time + frames * step); }, move: (s) => seek(clock.time + s), setRate, rate: speed };

  // While it plays the clock follows every frame; without a playable file it runs by itself.
  useEffect(() => {
    if (!playing) return undefined;
    let request, last = performance.now();
    const tick = (now) => {
      if (broken) {
        const next = clock.time + ((now - last) / 1000) * speed;
        if (next >= video.duration_s) setPlaying(false);
        else clock.set(next);
      } else if (element.current) clock.set(element.current.currentTime);
      last = now;
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [playing, broken, speed]);

  useEffect(() => {
    const track = element.current && element.current.textTracks[0];
    if (track) track.mode = captions ? "showing" : "hidden";
  }, [captions, video.is_indexed]);

  return html`<div class="player" ref=${frame}>
    <div class="screen" style=${{ aspectRatio: `${video.width} / ${video.height}`, maxWidth: `calc(54vh * ${video.width / video.height})` }}>
      ${broken ? html`<${Stills} video=${video} clock=${clock} />` : html`<video ref=${element} src=${url.file(video.video_id)} poster=${url.poster(video.video_id)}
          preload="auto" playsinline muted=${muted} aria-label=${video.name} onClick=${toggle}
          onPlay=${() => setPlaying(true)} onPause=${() => setPlaying(false)} onEnded=${() => setPlaying(false)}
          onTimeUpdate=${(e) => clock.set(e.target.currentTime)} onSeeked=${(e) => clock.set(e.target.currentTime)} onError=${() => setBroken(true)}>
          ${video.is_indexed && html`<track kind="captions" src=${url.subtitles(video.video_id, "vtt")} label=${t("captions")} />`}
        </video>`}
      <${Marks} mark=${mark} clock=${clock} videoId=${video.video_id} />
      ${broken && html`<p class="screen-note">${t("unplayable")}</p>`}
    </div>
    <div class="controls">
      <${IconButton} icon="back" label=${t("frameBack")} onClick=${() => handle.current.step(-1)} />
      <${IconButton} icon=${playing ? "pause" : "play"} label=${playing ? t("pause") : t("play")} onClick=${toggle} />
      <${IconButton} icon="forward" label=${t("frameForward")} onClick=${() => handle.current.step(1)} />
      <${Time} clock=${clock} total=${video.duration_s} />
      <span class="spacer" />
      <button type="button" class="text-button" aria-label=${t("speed")} onClick=${() => setRate(SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] || 1)}>${speed}×</button>
      ${video.has_audio && html`<${IconButton} icon=${muted ? "mute" : "sound"} label=${muted ? t("unmute") : t("mute")} onClick=${toggleMute} />`}
      <${IconButton} icon="captions" label=${t("captions")} aria-pressed=${captions} onClick=${() => setCaptions(!captions)} />
      <${IconButton} icon="full" label=${t("fullscreen")} onClick=${full} />
    </div>
  </div>`;
}

function Time({ clock, total }) {
  const shown = useClock(clock, (time) => clockTime(time, true));
  return html`<span class="time"><b>${shown}</b> / ${clockTime(total)}</span>`;
}

function Stills({ video, clock }) {
  const at = useClock(clock, (time) => Math.round(time * 4) / 4);
  return html`<img class="still" src=${url.frame(video.video_id, Math.min(at, video.duration_s - 0.01))} alt=${video.name} />`;
}

// The boxes and words of the evidence that is being shown.
function Marks({ mark, clock, videoId }) {
  const time = useClock(clock, (now) => Math.round(now * 10) / 10);
  if (!mark || mark.video_id !== videoId) return null;
  const near = (at) => at === null || at === undefined || Math.abs(at - time) <= NEAR_S;
  const inside = time >= mark.start_time - NEAR_S && time <= mark.end_time + NEAR_S;
  if (!inside) return null;
  const boxes = nearest(mark.boxes.filter((box) => near(box.time)), time);
  return html`<div class="marks" data-testid="marks">
    ${boxes.map((box, number) => html`<div class=${`mark c${number % 4}`} style=${{ left: `${box.bbox[0] * 100}%`, top: `${box.bbox[1] * 100}%`, width: `${box.bbox[2] * 100}%`, height: `${box.bbox[3] * 100}%` }}><span>${box.label}</span></div>`)}
    ${mark.quote && html`<p class="quote"><${Icon} name=${/transcript|speech|said/.test(mark.source) ? "talk" : "eye"} /> <mark>${mark.quote}</mark></p>`}
  </div>`;
}

// Of boxes at several times, those of the time nearest to now.
function nearest(boxes, time) {
  const times = boxes.map((box) => box.time).filter((at) => at !== null && at !== undefined);
  if (!times.length) return boxes;
  const best = times.reduce((a, b) => (Math.abs(b - time) < Math.abs(a - time) ? b : a));
  return boxes.filter((box) => box.time === null || box.time === undefined || box.time === best);
}
