// Stories: a graph of people and relations with a chapter slider, and questions answered with quotations.

import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { api, follow, followAll } from "./api.js";
import { t } from "./i18n.js";
import { Talk } from "./talk.js";
import { Icon, Loading, message, Notice, Progress, useLoad } from "./ui.js";
import { newThread, savedThread } from "./watch.js";

export const Stories = ({ name, info }) => (name ? html`<${StoryPage} key=${name} name=${decodeURIComponent(name)} info=${info} />` : html`<${StoryList} />`);

function StoryList() {
  const { data, error, reload } = useLoad(() => api.get("/stories"), []);
  const [name, setName] = useState("");
  const [source, setSource] = useState("");
  const [problem, setProblem] = useState("");
  const [jobs, setJobs] = useState([]);
  useEffect(() => {
    let before = 0;
    return followAll((all) => { const mine = all.filter((one) => one.kind === "story_add"); setJobs(mine); if (mine.length < before) reload(); before = mine.length; });
  }, []);
  const add = async (event) => {
    event.preventDefault();
    setProblem("");
    try {
      const job = await api.post("/stories", { name: name.trim(), sources: source.split("\n").map((one) => one.trim()).filter(Boolean) });
      setName(""); setSource("");
      follow(job.job_id, { onEvent: () => {}, onEnd: (ended) => { if (ended.error) setProblem(ended.error); reload(); } });
    } catch (failure) { setProblem(message(failure)); }
  };
  return html`<div class="topics"><h1>${t("stories")}</h1><p class="quiet">${t("storyHint")}</p>
    <form class="topic-form" onSubmit=${add}>
      <input value=${name} onInput=${(e) => setName(e.target.value)} placeholder=${t("storyName")} aria-label=${t("storyName")} maxlength="80" required />
      <textarea rows="2" value=${source} onInput=${(e) => setSource(e.target.value)} placeholder=${t("storySources")} aria-label=${t("storySources")} spellcheck="false" required />
      <button class="primary" disabled=${!name.trim() || !source.trim()}>${t("add")}</button>
    </form>
    ${problem && html`<${Notice}>${problem}<//>`}
    ${jobs.map((job) => html`<div class="sending" key=${job.job_id}><span>${job.given.name}: ${job.note}</span><${Progress} value=${job.progress} label=${job.given.name} /></div>`)}
    ${error ? html`<${Notice}>${message(error)}<//>` : !data ? html`<${Loading} />` : !data.length ? html`<p class="quiet">${t("storyEmpty")}</p>` : html`<ul class="run-list">${data.map((one) => html`<li key=${one.name}><a href=${`#/stories/${encodeURIComponent(one.name)}`}>
      <span class="no-poster"><${Icon} name="graph" /></span><span class="run-text"><b>${one.name}</b><span>${t("storyFacts", { c: one.chapters, e: one.entities, r: one.relations })}</span></span></a></li>`)}</ul>`}
  </div>`;
}

function StoryPage({ name, info }) {
  const { data, error } = useLoad(() => api.get(`/stories/${encodeURIComponent(name)}`, { limit: 36 }), [name]);
  const [thread, setThread] = useState(() => savedThread(`story:${name}`));
  const [chapter, setChapter] = useState(null);
  const [chosen, setChosen] = useState(null);
  if (error) return html`<${Notice}>${message(error)}<//>`;
  if (!data) return html`<${Loading} />`;
  const last = data.chapters.length;
  const upto = chapter ?? last;
  const head = data.chapters[Math.max(0, upto - 1)];
  return html`<div class="story">
    <div><p><a href="#/stories">← ${t("stories")}</a></p><h1>${data.story.name} <small>${t("storyFacts", { c: data.story.chapters, e: data.story.entities, r: data.story.relations })}</small></h1></div>
    ${!data.people.length && html`<p class="quiet">${t("noPeople")}</p>`}
    <div class="story-grid">
      <div class="story-graph">
        <label class="slider">${t("upToChapter")} <input type="range" min="1" max=${Math.max(1, last)} value=${upto} onInput=${(e) => setChapter(Number(e.target.value))} aria-valuetext=${head ? head.label : ""} /> <span>${head ? `${head.label} ${head.title}` : ""}</span></label>
        <${Graph} data=${data} upto=${upto} chosen=${chosen} onChoose=${setChosen} />
        <${Legend} people=${data.people} />
        ${chosen && html`<${PersonCard} data=${data} upto=${upto} id=${chosen} onChoose=${setChosen} />`}
      </div>
      <${Talk} key=${thread} source=${storySource(name, thread)} onNew=${() => setThread(newThread(`story:${name}`))} engines=${info ? info.engines : ["embedded"]} placeholder=${t("storyAsk")} hint=${t("storyAskHint")} hasBudget=${false} suggestions=${suggestions(data)} onMoment=${() => {}} />
    </div>
  </div>`;
}

// A force layout that is the same every time: no chance in it.
function layout(people, relations) {
  const place = new Map(people.map((one, i) => { const angle = i * 2.399963; const r = 40 + 26 * Math.sqrt(i); return [one.entity_id, { x: 400 + r * Math.cos(angle), y: 300 + r * Math.sin(angle) * 0.75 }]; }));
  const ids = [...place.keys()];
  const strong = relations.filter((one) => !one.is_stated).sort((a, b) => b.weight - a.weight).slice(0, 50);
  const edges = [...relations.filter((one) => one.is_stated), ...strong].filter((one) => place.has(one.source) && place.has(one.target));
  for (let round = 0; round < 220; round++) {
    const heat = 1 - round / 220;
    const push = new Map(ids.map((id) => [id, { x: 0, y: 0 }]));
    for (let i = 0; i < ids.length; i++) for (let j = i + 1; j < ids.length; j++) {
      const a = place.get(ids[i]), b = place.get(ids[j]);
      const dx = a.x - b.x || 0.1, dy = a.y - b.y || 0.1, d2 = dx * dx + dy * dy;
      const f = 240000 / (d2 * Math.sqrt(d2));
      push.get(ids[i]).x += dx * f; push.get(ids[i]).y += dy * f; push.get(ids[j]).x -= dx * f; push.get(ids[j]).y -= dy * f;
    }
    for (const edge of edges) {
      const a = place.get(edge.source), b = place.get(edge.target);
      const dx = b.x - a.x, dy = b.y - a.y, d = Math.hypot(dx, dy) || 1, f = ((d - 110) / d) * (edge.is_stated ? 0.14 : 0.016);
      push.get(edge.source).x += dx * f; push.get(edge.source).y += dy * f; push.get(edge.target).x -= dx * f; push.get(edge.target).y -= dy * f;
    }
    for (const id of ids) {
      const p = place.get(id), v = push.get(id), size = Math.hypot(v.x, v.y) || 1, most = 18 * heat + 1;
      p.x += (v.x / size) * Math.min(size, most) + (400 - p.x) * 0.016; p.y += (v.y / size) * Math.min(size, most) + (300 - p.y) * 0.024;
      p.x = Math.max(50, Math.min(750, p.x)); p.y = Math.max(30, Math.min(570, p.y));
    }
  }
  return spread(place);
}

// Fill the picture: a graph in the middle of an empty page is hard to read.
function spread(place) {
  const all = [...place.values()];
  for (const [axis, low, high] of [["x", 60, 740], ["y", 40, 550]]) {
    const least = Math.min(...all.map((one) => one[axis])), most = Math.max(...all.map((one) => one[axis]));
    for (const one of all) one[axis] = most > least ? low + ((one[axis] - least) / (most - least)) * (high - low) : (low + high) / 2;
  }
  return place;
}

// Questions to begin with, about those who are mentioned most, in the language of their names.
function suggestions(data) {
  const people = data.people.filter((one) => one.kind === "person").slice(0, 2).map((one) => one.name);
  const isChinese = /\p{Script=Han}/u.test(people.join(""));
  const [who, how] = isChinese ? [(a) => `${a}是谁？`, (a, b) => `${a}和${b}是什么关系？`] : [(a) => `Who is ${a}?`, (a, b) => `How are ${a} and ${b} related?`];
  return [...people.map(who), ...(people.length > 1 ? [how(...people)] : [])];
}

function Graph({ data, upto, chosen, onChoose }) {
  const place = useMemo(() => layout(data.people, data.relations), [data]);
  const people = data.people.filter((one) => one.first_chapter <= upto);
  const shown = new Set(people.map((one) => one.entity_id));
  const there = data.relations.filter((one) => one.first_chapter <= upto && shown.has(one.source) && shown.has(one.target));
  // Of those who only meet, the ones who meet most; all of them would hide what is stated.
  const met = there.filter((one) => !one.is_stated).sort((a, b) => b.weight - a.weight).slice(0, 50);
  const edges = [...met, ...there.filter((one) => one.is_stated)];
  const most = Math.max(...data.people.map((one) => one.mentions), 1);
  const near = chosen ? new Set(edges.filter((one) => one.source === chosen || one.target === chosen).flatMap((one) => [one.source, one.target])) : null;
  return html`<svg class="graph" viewBox="0 0 800 600" role="group" aria-label=${t("graph")}>
    ${edges.map((one) => { const a = place.get(one.source), b = place.get(one.target); const on = chosen && (one.source === chosen || one.target === chosen); return html`<g key=${one.relation_id} class=${`edge ${one.is_stated ? "stated" : ""} ${chosen ? (on ? "on" : "off") : ""}`}><line x1=${a.x} y1=${a.y} x2=${b.x} y2=${b.y} />${one.is_stated && (on || !chosen) && html`<text x=${(a.x + b.x) / 2} y=${(a.y + b.y) / 2 - 3}>${one.relation}</text>`}</g>`; })}
    ${people.map((one) => { const p = place.get(one.entity_id); const r = 6 + 16 * Math.sqrt(one.mentions / most); return html`<g key=${one.entity_id} class=${`node ${one.kind} ${chosen === one.entity_id ? "on" : ""} ${near && !near.has(one.entity_id) && chosen !== one.entity_id ? "off" : ""}`} tabindex="0" role="button" aria-label=${one.name} aria-pressed=${chosen === one.entity_id} onClick=${() => onChoose(chosen === one.entity_id ? null : one.entity_id)} onKeyDown=${(e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); onChoose(one.entity_id); } }}><circle cx=${p.x} cy=${p.y} r=${r} /><text x=${p.x} y=${p.y + r + 13} class=${p.x < 130 ? "first" : p.x > 670 ? "last" : ""} dx=${p.x < 130 ? -r : p.x > 670 ? r : 0}>${one.name}</text></g>`; })}
  </svg>`;
}

const KINDS = [["person", "legendPerson"], ["place", "legendPlace"], ["group", "legendGroup"]];

// What the colours and lines of the graph mean; kinds that are not in it are left out.
const Legend = ({ people }) => html`<p class="legend">${KINDS.filter(([kind]) => people.some((one) => one.kind === kind)).map(([kind, word]) => html`<span key=${kind}><i class=${`dot ${kind}`} />${t(word)}</span>`)}
  <span><i class="stroke stated" />${t("legendStated")}</span><span><i class="stroke" />${t("legendMeets")}</span></p>`;

function PersonCard({ data, upto, id, onChoose }) {
  const one = data.people.find((person) => person.entity_id === id);
  if (!one) return null;
  const name = (other) => (data.people.find((person) => person.entity_id === other) || {}).name || other;
  const rows = data.relations.filter((each) => (each.source === id || each.target === id) && each.first_chapter <= upto).sort((a, b) => Number(b.is_stated) - Number(a.is_stated) || b.weight - a.weight).slice(0, 12);
  return html`<section class="person-card" aria-live="polite"><h2>${one.name}</h2>
    <p class="quiet">${[one.kind, t("mentions", { n: one.mentions }), one.aliases.slice(0, 8).join(", ")].filter(Boolean).join(" · ")}</p>
    <ul>${rows.map((each) => { const other = each.source === id ? each.target : each.source; return html`<li><button class="link" onClick=${() => onChoose(other)}>${name(each.source)} → ${name(each.target)}</button> <b>${each.relation}</b>${each.quotes[0] && html`<blockquote>“${each.quotes[0].text}” <span class="quiet">${each.quotes[0].label} ¶${each.quotes[0].paragraph}</span></blockquote>`}</li>`; })}</ul></section>`;
}

// A conversation about a story: questions of one thread may refer to earlier ones.
const storySource = (name, thread) => ({
  query: { kind: "story", subject: name, thread },
  ask: (question, { engine }) => api.post(`/stories/${encodeURIComponent(name)}/ask`, { question, thread, engine: engine || null }),
});
