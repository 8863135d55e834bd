// Draws what comes near the window, and reacts to the choices of the reader.
// A figure is drawn when it comes near the window.
const later = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((own) => own.isIntersecting)) {
    later.unobserve(entry.target);
    const { figure, map } = entry.target.dataset;
    if (map !== undefined) drawMap(entry.target, data.maps[map]);
    else drawFigure(entry.target, data.figures[figure]);
  }
}, { rootMargin: "600px" });
document.querySelectorAll("figure").forEach((place) => later.observe(place));

// One algorithm of a chapter at a time.
document.querySelectorAll(".algorithms").forEach((place) => {
  const all = [...place.querySelectorAll(".algorithm")];
  if (all.length < 2) return;
  const choice = make("select");
  all.forEach((own) => choice.append(make("option", { textContent: own.dataset.algorithm })));
  const show = () => all.forEach((own, number) => own.classList.toggle("hidden", number !== choice.selectedIndex));
  choice.addEventListener("change", show);
  place.prepend(make("label", { className: "chooser" }, "Algorithm ", choice));
  show();
});

// Light and dark.
const theme = document.getElementById("theme");
const redraw = () => plots.forEach((draw) => draw());
theme.hidden = false;
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  redraw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
