// Runs before the first paint, so that a reload does not flash in the other theme.
(() => {
  const saved = localStorage.getItem("vidence.theme");
  const light = matchMedia("(prefers-color-scheme: light)").matches;
  document.documentElement.dataset.theme = saved || (light ? "light" : "dark");
})();
