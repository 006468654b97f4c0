// Topics: start a monitor, see its thoughts as they come, and read its briefings.

import { html, useEffect, useState } from "../vendor/preact.js";
import { api, follow } from "./api.js";
import { t } from "./i18n.js";
import { Entries, entriesOf, Spending } from "./talk.js";
import { Icon, isActive, Loading, message, Notice, useLoad } from "./ui.js";

export const Topics = ({ name }) => (name ? html`<${Topic} key=${name} name=${name} />` : html`<${TopicList} />`);

function TopicList() {
  const { data, error } = useLoad(() => api.get("/topics"), []);
  const [command, setCommand] = useState("");
  const [sources, setSources] = useState("");
  const [problem, setProblem] = useState("");
  const start = async (event) => {
    event.preventDefault();
    setProblem("");
    try {
      const job = await api.post("/topics", { command: command.trim(), sources: lines(sources) });
      location.hash = `#/topics/${job.subject}?job=${job.job_id}`;
    } catch (failure) {
      setProblem(message(failure));
    }
  };
  return html`<div class="topics"><h1>${t("topics")}</h1><p class="quiet">${t("topicHint")}</p>
    <form class="topic-form" onSubmit=${start}>
      <input value=${command} onInput=${(e) => setCommand(e.target.value)} placeholder=${t("topicAsk")} aria-label=${t("topicAsk")} required />
      <textarea rows="2" value=${sources} onInput=${(e) => setSources(e.target.value)} placeholder=${t("topicSources")} aria-label=${t("topicSources")} spellcheck="false" />
      <button class="primary" disabled=${!command.trim()}>${t("topicGo")}</button>
    </form>
    ${problem && html`<${Notice}>${problem}<//>`}
    ${error ? html`<${Notice}>${message(error)}<//>` : !data ? html`<${Loading} />` : !data.length ? html`<p class="quiet">${t("topicEmpty")}</p>` : html`<ul class="run-list">${data.map((one) => html`<li key=${one.monitor.monitor_id}><a href=${`#/topics/${one.monitor.monitor_id}`}>
      <span class="no-poster"><${Icon} name="globe" /></span><span class="run-text"><b>${one.monitor.command}</b><span>${one.monitor.sources.join(", ")}</span></span>
      <span class="run-facts">${one.job ? html`<span class="pulse" />` : t(one.runs === 1 ? "topicRunsOne" : "topicRuns", { n: one.runs })}</span></a></li>`)}</ul>`}
  </div>`;
}

const lines = (text) => text.split("\n").map((one) => one.trim()).filter(Boolean);

function Topic({ name }) {
  // A new topic is known to the server when its run has begun.
  const load = async () => ((await api.get("/topics")).some((one) => one.monitor.monitor_id === name) ? api.get(`/topics/${name}`) : null);
  const { data, error, reload } = useLoad(load, [name]);
  const [live, setLive] = useState({ job: null, events: [] });
  const [problem, setProblem] = useState("");
  const [which, setWhich] = useState(0);

  const watch = (job) => {
    setLive({ job, events: [] });
    return follow(job.job_id, {
      onEvent: (event) => setLive((now) => ({ ...now, events: event.kind === "restarted" ? [event] : [...now.events, event] })),
      onEnd: (ended) => { setLive((now) => ({ ...now, job: ended })); setWhich(0); if (ended.error) setProblem(ended.error); reload(); },
    });
  };
  // The run under way, or the last one: a reload goes on where it was.
  useEffect(() => {
    let close = () => {};
    let here = true;
    api.get("/jobs", { kind: "monitor", subject: name, limit: 1 }).then((page) => { if (here && page.items.length) close = watch(page.items[0]); }, () => {});
    return () => { here = false; close(); };
  }, [name]);
  const again = async () => {
    setProblem("");
    try { watch(await api.post("/topics", { command: data.monitor.command, sources: data.monitor.sources })); } catch (failure) { setProblem(message(failure)); }
  };
  const busy = live.job && isActive(live.job);
  const command = data ? data.monitor.command : live.job ? live.job.given.command : name;
  return html`<div class="topics">
    <p><a href="#/topics">← ${t("topics")}</a></p>
    <div class="library-head"><h1>${command}</h1>${data && !busy && html`<button onClick=${again}>${t("again")}</button>`}
      ${busy && html`<button class="stop" onClick=${() => api.post(`/jobs/${live.job.job_id}/cancel`)}><${Icon} name="stop" /> ${t("stop")}</button>`}</div>
    ${problem && html`<${Notice}>${problem}<//>`}
    ${live.job && html`<details class="thoughts live" open=${busy}><summary>${busy ? html`<span class="pulse" /> ${t("thinking")} <${Spending} job=${live.job} events=${live.events} />` : t("thoughts")}</summary><${Entries} entries=${entriesOf(live.events)} /></details>`}
    ${data && data.briefings.length > 1 && html`<label class="picker">${t("briefingOf")} <select value=${which} onChange=${(e) => setWhich(Number(e.target.value))}>${data.briefings.map((one, i) => html`<option value=${i}>${`${one.briefing.day} · ${one.run_id.split("-").pop()}`}</option>`)}</select></label>`}
    ${data && data.briefings.length > 0 ? html`<${BriefingView} item=${data.briefings[Math.min(which, data.briefings.length - 1)]} name=${name} />` : error && !busy && !live.job ? html`<${Notice}>${message(error)}<//>` : null}
  </div>`;
}

function BriefingView({ item, name }) {
  const one = item.briefing;
  const source = (number) => one.sources.find((card) => card.number === number);
  const Ref = ({ number }) => { const card = source(number); return html`<a class="ref" href=${`#source-${number}`} title=${card ? card.title : ""} onClick=${(e) => { e.preventDefault(); document.getElementById(`source-${number}`)?.scrollIntoView({ block: "center" }); }}>[${number}]</a>`; };
  const tasks = one.plan ? one.plan.sub_tasks : [];
  const groups = [...new Set(one.statements.map((each) => each.sub_task))];
  return html`<article class="briefing" lang=${one.language}>
    <p class="quiet">${one.day} · ${t("pagesRead", { n: one.pages_read })} · ${one.engine} · <a href=${`/api/topics/${name}/page`} target="_blank" rel="noopener">HTML</a></p>
    ${one.overview?.length > 0 && html`<p class="overview">${one.overview.map((each) => html`${each.text} ${each.quotes.map((quote) => html`<${Ref} number=${quote.source} />`)} `)}</p>`}
    ${one.changes && one.changes.length > 0 && html`<h2>${t("changes")}</h2><ul class="changes">${one.changes.map((each) => html`<li class=${each.kind}><b>${t(`change_${each.kind}`)}</b> ${each.text}${each.before && html`<br /><span class="quiet">${each.before}</span>`}</li>`)}</ul>`}
    <h2>${t("statements")}</h2>
    ${!one.statements.length && html`<p>${t("nothingFound")}</p>`}
    ${groups.map((group) => html`<section key=${group}>${tasks[group] && html`<h3>${tasks[group].title}</h3>`}
      <ul class="statements">${one.statements.filter((each) => each.sub_task === group).map((each) => html`<li><p>${each.text} ${each.quotes.map((quote) => html`<${Ref} number=${quote.source} />`)} <span class="quiet">${each.published || ""}</span></p>
        <details><summary class="quiet">${t("evidence")}</summary>${each.quotes.map((quote) => html`<blockquote>“${quote.text}” <${Ref} number=${quote.source} /></blockquote>`)}${each.doubts.map((doubt) => html`<p class="bad">${doubt}</p>`)}</details></li>`)}</ul></section>`)}
    ${one.disputes.length > 0 && html`<h2>${t("disputes")}</h2>${one.disputes.map((each) => html`<div class="dispute">${each.sides.map((side) => html`<blockquote>“${side.quote}” <${Ref} number=${side.source} />${each.newer === side.source && html` <span class="phase">${t("newer")}</span>`}</blockquote>`)}</div>`)}`}
    ${one.timeline.length > 0 && html`<h2>${t("topicTimeline")}</h2><ol class="days">${one.timeline.map((each) => html`<li><time>${each.day.slice(0, { day: 10, month: 7, year: 4 }[each.unit])}</time><span>${each.text} <${Ref} number=${each.source} /></span></li>`)}</ol>`}
    ${one.sentiment.length > 0 && html`<h2>${t("sentiment")}</h2><p class="legend">${[["good", "toneGood"], ["even", "toneEven"], ["poor", "tonePoor"]].map(([kind, word]) => html`<span><i class=${`dot ${kind}`} />${t(word)}</span>`)}</p><ol class="tones">${one.sentiment.map((each) => { const all = Math.max(1, each.positive + each.neutral + each.negative); return html`<li><span>${each.period || "–"}</span><span class="tone" role="img" aria-label=${`${t("toneGood")} ${each.positive}, ${t("toneEven")} ${each.neutral}, ${t("tonePoor")} ${each.negative}`} title=${`${t("toneGood")} ${each.positive} · ${t("toneEven")} ${each.neutral} · ${t("tonePoor")} ${each.negative}`}><i class="good" style=${{ width: `${(each.positive / all) * 100}%` }} /><i class="even" style=${{ width: `${(each.neutral / all) * 100}%` }} /><i class="poor" style=${{ width: `${(each.negative / all) * 100}%` }} /></span></li>`; })}</ol>`}
    <h2>${t("sources")}</h2>
    <ol class="source-list">${one.sources.map((card) => html`<li key=${card.number} id=${`source-${card.number}`}><b>[${card.number}]</b> <span>${/^https?:/.test(card.url) ? html`<a href=${card.url} target="_blank" rel="noopener noreferrer nofollow">${card.title || card.url}</a>` : card.title || card.url}
      <span class="quiet"> ${[card.site || card.platform, card.published, card.author, card.rating !== null ? t("rating", { n: card.rating.toFixed(2) }) : "", card.is_first_hand === true ? t("firstHand") : card.is_first_hand === false ? t("secondHand") : ""].filter(Boolean).join(" · ")}</span></span></li>`)}</ol>
    ${one.gaps.length > 0 && html`<h2>${t("gaps")}</h2><ul class="gaps">${one.gaps.map((gap) => html`<li>${gap}</li>`)}</ul>`}
  </article>`;
}
