// The frame of the page: header, routes by the part of the address after #, language and theme.

import { html, render, useEffect, useRef, useState } from "../vendor/preact.js";
import { api } from "./api.js";
import { language, setLanguage, t } from "./i18n.js";
import { Library } from "./library.js";
import { AskAll, SearchPage } from "./pages.js";
import { Runs } from "./runs.js";
import { Stories } from "./stories.js";
import { Tools } from "./tools.js";
import { Topics } from "./topics.js";
import { Icon, IconButton, inField, Notice, useLoad } from "./ui.js";
import { Watch } from "./watch.js";

function readRoute() {
  const [path, query] = (location.hash.slice(1) || "/").split("?");
  return { parts: path.split("/").filter(Boolean), values: Object.fromEntries(new URLSearchParams(query || "")) };
}

const ROUTES = {
  "": (parts, values, info) => html`<${Library} info=${info} />`,
  watch: (parts, values, info) => html`<${Watch} key=${parts[1]} videoId=${parts[1]} values=${values} info=${info} />`,
  search: (parts, values) => html`<${SearchPage} values=${values} />`,
  ask: (parts, values, info) => html`<${AskAll} info=${info} />`,
  stories: (parts, values, info) => html`<${Stories} name=${parts[1]} info=${info} />`,
  tools: () => html`<${Tools} />`,
  topics: (parts) => html`<${Topics} name=${parts[1]} />`,
  runs: (parts) => html`<${Runs} trace=${parts[1]} />`,
};
const NAV = [["", "library"], ["ask", "askAll"], ["stories", "stories"], ["topics", "topics"], ["tools", "tools"], ["runs", "runs"]];

function App() {
  const [route, setRoute] = useState(readRoute);
  const [lang, setLang] = useState(language());
  const [theme, setTheme] = useState(document.documentElement.dataset.theme);
  const [query, setQuery] = useState("");
  const field = useRef(null);
  const main = useRef(null);
  const info = useLoad(() => api.get("/info"), []);
  const page = route.parts[0] || "";

  useEffect(() => {
    const changed = () => { setRoute(readRoute()); scrollTo(0, 0); };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  useEffect(() => setQuery(page === "search" ? route.values.q || "" : ""), [page, route.values.q]);
  useEffect(() => { document.title = page === "" ? "vidence" : `${t(page === "watch" ? "video" : page === "ask" ? "askAll" : page)} – vidence`; }, [page, lang]);
  useEffect(() => {
    const keys = (event) => {
      if (event.key === "/" && page !== "watch" && !inField(event.target)) { event.preventDefault(); field.current.focus(); }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, [page]);

  const switchLanguage = () => { const next = lang === "zh" ? "en" : "zh"; setLanguage(next); setLang(next); };
  const switchTheme = () => {
    const next = theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("vidence.theme", next);
    setTheme(next);
  };
  const search = (event) => { event.preventDefault(); if (query.trim()) location.hash = `#/search?q=${encodeURIComponent(query.trim())}`; };
  const view = ROUTES[page];

  return html`
    <a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); main.current.focus(); }}>${t("skip")}</a>
    <header class="top">
      <a class="brand" href="#/" aria-label="vidence"><img src="/static/icon.svg" alt="" width="26" height="26" /><span>vidence</span></a>
      <nav aria-label=${t("menu")}>${NAV.map(([path, key]) => html`<a key=${path} href=${`#/${path}`} aria-current=${page === path ? "page" : null}>${t(key)}</a>`)}</nav>
      <form class="top-search" role="search" onSubmit=${search}><${Icon} name="search" /><input ref=${field} type="search" value=${query} onInput=${(e) => setQuery(e.target.value)} placeholder=${t("searchAll")} aria-label=${t("search")} /></form>
      <button type="button" class="text-button" aria-label=${t("languageLabel")} onClick=${switchLanguage}>${t("language")}</button>
      <${IconButton} icon=${theme === "dark" ? "sun" : "moon"} label=${theme === "dark" ? t("themeLight") : t("themeDark")} onClick=${switchTheme} />
    </header>
    <main id="main" ref=${main} tabindex="-1" class=${`page-${page || "library"}`} key=${lang}>
      ${info.error && html`<${Notice}>${info.error.status ? info.error.message : t("unreachable")}<//>`}
      ${view ? view(route.parts, route.values, info.data) : html`<${Notice}>${t("notFound")}<//>`}
    </main>`;
}

render(html`<${App} />`, document.getElementById("app"));
