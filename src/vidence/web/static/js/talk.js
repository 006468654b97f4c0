// The conversation: questions, the thoughts as they arrive, and answers whose claims lead to their moments.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { api, follow, url } from "./api.js";
import { language, t } from "./i18n.js";
import { clockTime, Icon, isActive, message, Notice, percent, spanTime, StageBars } from "./ui.js";

const OPERATIONS = {
  get_video_info: ["video", "视频信息"], get_temporal_structure: ["shots", "镜头"], describe_visual: ["picture", "画面"],
  detect_objects: ["objects", "物体"], recognize_activity: ["activity", "活动"], get_scene_attributes: ["scene", "场景"],
  get_transcript: ["transcript", "语音"], detect_audio_events: ["sounds", "声音"], register_entity: ["entity", "对象"],
  track_entity: ["track", "轨迹"], query_entity_state: ["entity", "对象"], spatial_relation: ["places", "位置关系"],
  temporal_search: ["search", "搜索"], find_similar_segments: ["similar", "相似片段"], read_memory: ["memory", "记忆"],
  write_memory: ["write memory", "写入记忆"], get_notes: ["notes", "笔记"],
  platform_search: ["search the sources", "搜索来源"], web_scrape: ["read pages", "阅读网页"], memory_search: ["earlier findings", "已有发现"],
  timeline_query: ["timeline", "时间线"], analyze_sentiment: ["tone", "语气"], competitor_lookup: ["competitors", "竞争者"],
};
export const operationName = (name) => (OPERATIONS[name] || [name.replaceAll("_", " "), name])[language() === "zh" ? 1 : 0];

// The questions of one conversation. A source says which jobs it is (`query`) and how a question is sent (`ask`); a job
// under way is followed, so a reload goes on where it was.
function useTurns(source) {
  const [turns, setTurns] = useState([]);
  const [lost, setLost] = useState(false);
  const closers = useRef(new Map());

  const change = (jobId, update) => setTurns((all) => all.map((turn) => (turn.job.job_id === jobId ? update(turn) : turn)));
  const watch = (job) => {
    if (closers.current.has(job.job_id)) return;
    const close = follow(job.job_id, {
      onEvent: (event) => {
        setLost(false);
        change(job.job_id, (turn) => ({ ...turn, events: event.kind === "restarted" ? [event] : [...turn.events, event] }));
      },
      onEnd: (ended) => { setLost(false); change(job.job_id, (turn) => ({ ...turn, job: ended })); },
      onLost: () => setLost(true),
    });
    closers.current.set(job.job_id, close);
  };
  useEffect(() => {
    let here = true;
    setTurns([]);
    api.get("/jobs", { ...source.query, limit: 50 }).then((page) => {
      if (!here) return;
      const jobs = page.items.reverse();
      setTurns(jobs.map((job) => ({ job, events: [] })));
      jobs.filter(isActive).forEach(watch);
    }, () => {});
    return () => { here = false; closers.current.forEach((close) => close()); closers.current.clear(); };
  }, [JSON.stringify(source.query)]);

  const ask = async (question, limits) => {
    const job = await source.ask(question, limits);
    setTurns((all) => [...all, { job, events: [] }]);
    watch(job);
  };
  return { turns, ask, lost, recall: watch };
}

// A conversation about videos: questions of one thread may refer to earlier ones.
export const videoSource = (thread, videos) => ({
  query: { kind: "ask", thread },
  ask: (question, { seconds, steps, engine }) => api.post("/ask", { question, videos, thread, engine: engine || null, budget: { steps: Math.round(Number(steps)) || 10, ...(Number(seconds) > 0 ? { seconds: Number(seconds) } : {}) } }),
});

export function Talk({ source, engines, suggestions = [], onMoment, mark, onNew, onAnswer = () => {}, placeholder, hint, hasBudget = true }) {
  const { turns, ask, lost, recall } = useTurns(source);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const [limits, setLimits] = useState({ seconds: "", steps: "", engine: "" });
  const end = useRef(null);
  const busy = turns.some((turn) => isActive(turn.job));
  const last = turns[turns.length - 1];

  useEffect(() => { if (turns.length && end.current) end.current.scrollIntoView({ block: "nearest", behavior: "smooth" }); }, [turns.length, last && last.events.length, last && last.job.state]);
  useEffect(() => { if (last && last.job.result) onAnswer(last.job.result); }, [last && last.job.job_id, last && last.job.state]);

  const submit = async (question) => {
    const asked = question.trim();
    if (!asked) return;
    setProblem("");
    setText("");
    try {
      await ask(asked, limits);
    } catch (error) {
      setText(asked);
      setProblem(message(error));
    }
  };
  const keys = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit(text);
    }
  };
  const limit = (name, label, rest) => html`<label>${label}<input value=${limits[name]} onInput=${(e) => setLimits({ ...limits, [name]: e.target.value })} ...${rest} /></label>`;

  return html`<section class="talk" aria-label=${t("conversation")}>
    <div class="talk-head"><h2>${t("conversation")}</h2>${turns.length > 0 && onNew && html`<button class="small" onClick=${onNew}><${Icon} name="plus" /> ${t("newThread")}</button>`}</div>
    <div class="turns" aria-live="polite" tabindex="0" role="log" aria-label=${t("conversation")}>
      ${!turns.length && html`<div class="first-visit"><span class="first-icon"><${Icon} name="talk" /></span><p>${hint || t("firstVisit")}</p>
        <div class="suggestions">${suggestions.map((one) => html`<button key=${one} class="chip" onClick=${() => submit(one)}>${one}</button>`)}</div></div>`}
      ${turns.map((turn) => html`<${TurnView} key=${turn.job.job_id} turn=${turn} onMoment=${onMoment} mark=${mark} onRecall=${() => recall(turn.job)} />`)}
      ${lost && busy && html`<${Notice} kind="info">${t("lost")}<//>`}
      <div ref=${end} />
    </div>
    ${problem && html`<${Notice}>${problem}<//>`}
    <form class="ask" onSubmit=${(e) => { e.preventDefault(); submit(text); }}>
      <textarea id="question" rows="2" value=${text} placeholder=${placeholder} aria-label=${t("askLabel")} onInput=${(e) => setText(e.target.value)} onKeyDown=${keys} />
      <button type="submit" class="primary send" aria-label=${t("ask")} disabled=${!text.trim()}><${Icon} name="send" /></button>
    </form>
    <details class="limits"><summary>${t("settings")}</summary>
      ${hasBudget && limit("seconds", `${t("budget")} (${t("secondsBudget")})`, { type: "number", min: 1 })}
      ${hasBudget && limit("steps", `${t("budget")} (${t("stepsBudget")})`, { type: "number", min: 1, placeholder: "10" })}
      ${limit("engine", t("engine"), { list: "engines", placeholder: engines[0] })}
      <datalist id="engines">${engines.map((one) => html`<option value=${one} />`)}</datalist>
    </details>
  </section>`;
}

export function TurnView({ turn, onMoment, mark, onRecall }) {
  const { job, events } = turn;
  const active = isActive(job);
  const [shown, setShown] = useState(false);
  const entries = useMemo(() => entriesOf(events), [events]);
  const stop = () => api.post(`/jobs/${job.job_id}/cancel`).catch(() => {});
  const open = (event) => { setShown(event.currentTarget.open); if (event.currentTarget.open && !events.length) onRecall && onRecall(); };
  return html`<article class="turn" data-state=${job.state}>
    <p class="question">${job.given.question}</p>
    ${active ? html`<div class="live">
      <div class="live-head"><span class="pulse" /> ${job.state === "queued" && !events.length ? t("queued") : t("thinking")} <${Spending} job=${job} events=${events} />
        <button class="small stop" onClick=${stop}><${Icon} name="stop" /> ${t("stop")}</button></div>
      <${Entries} entries=${entries} />
    </div>` : html`<${AnswerView} job=${job} onMoment=${onMoment} mark=${mark} />
    <details class="thoughts" onToggle=${open}><summary>${t("thoughts")}</summary>${shown && html`<${Entries} entries=${entries} />`}</details>`}
  </article>`;
}

// What a run has used so far, against its budget; calls, tokens and price where a language model is asked.
export function Spending({ job, events }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => { const timer = setInterval(() => setNow(Date.now()), 500); return () => clearInterval(timer); }, []);
  const told = events.findLast((one) => one.kind === "spending");
  const { spent, budget } = told ? told.data : { spent: null, budget: job.given.budget || {} };
  const begun = events.find((one) => one.kind === "started");
  const seconds = begun ? Math.max(0, now / 1000 - begun.at) : 0;
  const used = {
    steps: [Math.max(0, ...events.map((one) => one.data.step || 0)), budget.steps],
    operations: [events.filter((one) => one.kind === "operation").length],
    ...(spent && spent.llm_calls ? { calls: [spent.llm_calls, budget.llm_calls] } : {}),
    ...(spent && tokensOf(spent) ? { tokens: [tokensOf(spent), budget.tokens] } : {}),
    seconds: [Math.round(seconds), budget.seconds],
  };
  const isNear = ([value, most]) => most && value >= 0.8 * most;
  return html`<span class="spending" title=${t("budget")}>${Object.entries(used).map(([name, [value, most]]) => html`<span key=${name} class=${isNear([value, most]) ? "near" : ""}>${most ? `${value.toLocaleString()}/${most.toLocaleString()}` : value.toLocaleString()} ${t(name)}</span>`)}${price(spent) && html`<span>${price(spent)}</span>`}</span>`;
}

const tokensOf = (spent) => spent.usage.input_tokens + spent.usage.output_tokens;
const price = (spent) => (spent && spent.usage.usd ? `$${spent.usage.usd.toFixed(4)}` : "");

export function entriesOf(events) {
  const found = [];
  for (const event of events) {
    const last = found[found.length - 1];
    const data = event.data;
    if (event.kind === "thinking") {
      if (last && last.kind === "thought") last.text += data.text;
      else found.push({ kind: "thought", text: data.text });
    } else if (event.kind === "frames") found.push({ kind: "look", frames: data.frames, focus: data.focus });
    else if (event.kind === "operation") {
      if (last && last.kind === "calls" && last.name === data.call.operation) last.calls.push({ call: data.call, brief: "" });
      else found.push({ kind: "calls", name: data.call.operation, calls: [{ call: data.call, brief: "" }] });
    } else if (event.kind === "result") {
      const open = last && last.kind === "calls" && last.calls.find((one) => !one.brief);
      if (open) open.brief = data.brief || "–";
    } else if (event.kind === "progress") {
      if (last && last.kind === "progress") last.stages = data.stages;
      else found.push({ kind: "progress", stages: data.stages });
    } else if (event.kind === "answer") found.push({ kind: "proposal", text: t("proposed", { text: data.answer.final_answer }) });
    else if (event.kind === "checked") found.push({ kind: "checked", score: t("checked", { score: data.verdict.confidence_score }), feedback: data.verdict.feedback });
    else if (event.kind === "graded") found.push({ kind: "checked", score: t("graded", { n: data.grade.score }), feedback: data.grade.feedback || "" });
    else if (event.kind === "refined") found.push({ kind: "proposal", text: t("refined", { text: data.queries.join("; ") }) });
    else if (event.kind === "thought") found.push({ kind: "phase", ...data.thought });
    else if (event.kind === "failed") found.push({ kind: "problem", text: data.problem });
    else if (event.kind === "restarted") found.push({ kind: "problem", text: t("restarted") });
  }
  return found;
}

export const Entries = ({ entries }) => html`<ol class="entries">${entries.map((one, i) => html`<${Entry} key=${i} entry=${one} />`)}</ol>`;

function Entry({ entry }) {
  switch (entry.kind) {
    case "thought":
      return html`<li class="thought"><${Icon} name="bolt" /><p>${entry.text.trim()}</p></li>`;
    case "look":
      return html`<li><${Icon} name="eye" /><div><p>${entry.focus ? t("lookedFor", { focus: entry.focus, n: entry.frames.length }) : t("looked", { n: entry.frames.length })}</p>
        <div class="looked">${entry.frames.filter((one) => one.video_id && one.timestamp_s !== null).map((one) => html`<img key=${one.frame_id} src=${url.thumbnail(one.video_id, one.timestamp_s)} alt=${one.caption} title=${`${clockTime(one.timestamp_s)}  ${one.caption}`} loading="lazy" />`)}</div></div></li>`;
    case "calls":
      return html`<li><${Icon} name="tool" /><div><p><b>${operationName(entry.name)}</b> ${asked(entry.calls[0].call)}${entry.calls.length > 1 ? ` ×${entry.calls.length}` : ""}</p>
        <p class="brief">${briefs(entry.calls)}</p></div></li>`;
    case "progress":
      return html`<li><${Icon} name="clock" /><${StageBars} stages=${entry.stages} /></li>`;
    case "phase":
      return html`<li class="thought"><${Icon} name="bolt" /><div><p><span class="phase">${t(`phase_${entry.phase}`)}</span> ${entry.thought}</p>${entry.action && html`<p class="brief">${operationName(entry.action)}</p>`}${entry.observation && html`<p class="brief">→ ${entry.observation}</p>`}</div></li>`;
    case "proposal":
      return html`<li><${Icon} name="talk" /><p>${entry.text}</p></li>`;
    case "checked":
      return html`<li><${Icon} name="check" /><p>${entry.score} ${entry.feedback}</p></li>`;
    default:
      return html`<li class="bad"><${Icon} name="cross" /><p>${entry.text}</p></li>`;
  }
}

function asked(call) {
  const given = call.arguments || {};
  const words = ["query", "category", "focus"].map((name) => given[name]).filter(Boolean).map((one) => `“${one}”`);
  const times = ["timestamp", "start_time", "end_time"].map((name) => given[name]).filter((one) => typeof one === "number").map((one) => clockTime(one));
  return [...words, times.join("–")].join(" ").trim();
}

function briefs(calls) {
  const counts = new Map();
  for (const one of calls) if (one.brief) counts.set(one.brief, (counts.get(one.brief) || 0) + 1);
  const shown = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([text, n]) => `${text.length > 140 ? `${text.slice(0, 139)}…` : text}${n > 1 ? ` ×${n}` : ""}`);
  return shown.length ? `→ ${shown.join("; ")}${counts.size > 4 ? " …" : ""}` : "";
}

const MARKS = { verified: "check", partly: "about", failed: "cross" };

export function AnswerView({ job, onMoment, mark }) {
  if (job.state === "failed") return html`<${Notice}>${job.error}<//>`;
  if (!job.result) return html`<p class="quiet">${t("stopped")}</p>`;
  const { answer, proofs = [], claims = [], understood = job.given.question } = job.result;
  const spent = answer.spent;
  const tokens = tokensOf(spent);
  const more = answer.explanation && letters(answer.explanation) !== letters(answer.answer);
  return html`<div class=${`answer ${answer.status}`}>
    ${understood !== job.given.question && html`<p class="quiet understood">${t("understood", { q: understood })}</p>`}
    <p class="answer-text" data-testid="answer">${answer.answer}</p>
    ${more && html`<p class="explanation">${answer.explanation}</p>`}
    <div class="confidence" title=${`${t("confidence")} ${answer.confidence_score}/5`}>
      <span class="dots" aria-hidden="true">${[1, 2, 3, 4, 5].map((n) => html`<i class=${n <= answer.confidence_score ? "on" : ""} />`)}</span>
      <span>${t("confidence")} ${answer.confidence_score}/5 · ${t("sure", { p: percent(answer.probability) })}</span>
      ${job.state === "cancelled" && html`<span class="bad">${t("cancelled")}</span>`}
    </div>
    ${proofs.length + claims.length > 0 && html`<ol class="claims">
      ${proofs.map((claim, i) => html`<${ClaimView} key=${i} claim=${claim} names=${answer.videos} onMoment=${onMoment} mark=${mark} />`)}
      ${claims.map((claim, i) => html`<${QuotedClaim} key=${i} claim=${claim} />`)}</ol>`}
    ${answer.gaps.length > 0 && html`<ul class="gaps">${answer.gaps.map((gap) => html`<li>${gap}</li>`)}</ul>`}
    <p class="spent">${answer.engine} · ${spent.steps} ${t("steps")} · ${spent.frames} ${t("frames")} · ${spent.operations} ${t("operations")}${spent.llm_calls ? ` · ${spent.llm_calls} ${t("calls")}` : ""}${tokens ? ` · ${tokens.toLocaleString()} ${t("tokens")}` : ""} · ${spent.seconds.toFixed(1)} ${t("seconds")}${price(spent) && ` · ${price(spent)}`}</p>
    <${After} job=${job} />
  </div>`;
}

const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

// What can be done with an answer: repeat it without a model, or keep it as a page.
function After({ job }) {
  const [state, setState] = useState("");
  const trace = job.result.answer.trace_id;
  const replay = async () => {
    setState(t("replaying"));
    try {
      const found = await api.post(`/traces/${trace}/replay`);
      setState(found.identical ? t("identical") : t("different", { text: found.difference }));
    } catch (error) {
      setState(message(error));
    }
  };
  return html`<p class="after">
    ${trace && html`<button class="link" onClick=${replay}>${t("replay")}</button>`}
    ${job.kind === "ask" && html`<a class="link" href=${`/api/jobs/${job.job_id}/page`} target="_blank" rel="noopener">${t("evidencePage")}</a>`}
    ${trace && job.kind !== "trace" && html`<a class="link" href=${`#/runs/${trace}`}>${t("watchRun")}</a>`}
    <span role="status">${state}</span>
  </p>`;
}

const Stated = ({ claim }) => html`<span class="verdict" title=${t(`verdict_${claim.verdict}`)}><${Icon} name=${MARKS[claim.verdict]} /><span class="visually-hidden">${t(claim.verdict)}: </span></span><span>${claim.text}</span>`;
const Why = ({ claim }) => claim.problems.length > 0 && html`<p class="problem"><b>${t("why")}:</b> ${claim.problems.join(" ")}</p>`;

// A claim about a story, with the words that prove it and where they stand.
const QuotedClaim = ({ claim }) => html`<li class=${`claim ${claim.verdict}`}><p class="claim-text"><${Stated} claim=${claim} /></p><${Why} claim=${claim} />
  ${claim.quotes.map((one) => html`<blockquote class="quoted">“${one.quote.text}”<br /><span class="quiet">${one.place}${one.quote.video_id ? html` · <a href=${`#/watch/${one.quote.video_id}?t=${one.quote.time_s || 0}`}>${t("open")}</a>` : ""}</span></blockquote>`)}</li>`;

function ClaimView({ claim, names, onMoment, mark }) {
  const first = claim.moments[0];
  const label = html`<${Stated} claim=${claim} />`;
  return html`<li class=${`claim ${claim.verdict}`}>
    ${first ? html`<button class="claim-text" data-testid="claim" onClick=${() => onMoment(first)}>${label}</button>` : html`<p class="claim-text">${label}</p>`}
    <${Why} claim=${claim} />
    ${claim.moments.length > 0 && html`<div class="moments">${claim.moments.map((moment, i) => html`<div key=${i} class="moment-row"><button class=${`moment ${isMark(mark, moment) ? "on" : ""}`} data-testid="moment" data-start=${moment.start_time} data-end=${moment.end_time} onClick=${() => onMoment(moment)}>
      <img src=${url.thumbnail(moment.video_id, (moment.start_time + moment.end_time) / 2)} alt="" loading="lazy" />
      <span><b>${spanTime(moment.start_time, moment.end_time)}</b> ${names.length > 1 ? `${(names.find((one) => one.video_id === moment.video_id) || {}).name || ""} ` : ""}${moment.line.replace(/^\[[^\]]*\]\s*/, "")}</span>
    </button><a class="icon-button" href=${clipUrl(moment)} download aria-label=${`${t("clip")} ${spanTime(moment.start_time, moment.end_time)}`} title=${t("clip")}><${Icon} name="scissors" /></a></div>`)}</div>`}
    ${claim.notes.map((note) => html`<p class="quiet">${note}</p>`)}
  </li>`;
}

// A span of evidence with a little around it.
const clipUrl = (moment) => `/api/videos/${moment.video_id}/clip?start=${Math.max(0, moment.start_time - 1).toFixed(2)}&end=${Math.min(moment.end_time + 1, moment.start_time + 100).toFixed(2)}`;

const isMark = (mark, moment) => !!mark && mark.record_id === moment.record_id && mark.start_time === moment.start_time && mark.end_time === moment.end_time;
