// Presents figures: draws them when they come near, hides and shows their series, and tells the values of their points
// to the keyboard and to screen readers.

// The text of a point in a drawing.
const spoken = (plot, { curveNumber, pointNumber, xval, yval }) => {
  const { text: texts } = plot.data[curveNumber];
  const words = pointNumber === undefined ? texts[yval][xval] : texts[pointNumber];
  return words.replaceAll("<br>", ", ").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
};

// Goes to a neighbour of the last point among the `rows` of now, shows it, and returns its text.
const stepper = (plot, rows) => {
  let [row, column] = [0, -1];
  return (up, right) => {
    const all = rows();
    if (all.length === 0) return "";
    row = (row + up + all.length) % all.length;
    const length = all[row].length;
    column = (Math.min(column, length - 1) + right + length) % length;
    Plotly.Fx.hover(plot, [all[row][column]]);
    return spoken(plot, all[row][column]);
  };
};

const STEPS_OF_KEYS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };

// Makes a figure of `place`: `draw` draws it, and the arrow keys go through the points of its `rows`. A reader of
// screens hears the points, and not the drawing.
const present = (place, draw, rows) => {
  const plot = place.querySelector(".plot");
  const told = place.querySelector(".told");
  const hide = () => {
    plot.querySelectorAll(".main-svg, .modebar-container").forEach((own) => own.setAttribute("aria-hidden", "true"));
    plot.querySelectorAll(".modebar-btn").forEach((button) => { button.tabIndex = -1; });
  };
  const step = stepper(plot, rows);
  plot.tabIndex = 0;
  plot.setAttribute("role", "application");
  plot.setAttribute("aria-roledescription", "figure; the arrow keys go through its values");
  plot.addEventListener("keydown", (event) => {
    const move = STEPS_OF_KEYS[event.key];
    if (!move || event.target !== plot) return;
    event.preventDefault();
    told.textContent = step(...move);
  });
  plot.addEventListener("blur", () => Plotly.Fx.unhover(plot));
  place.redraw = () => draw(plot).then(hide);
  place.redraw();
};

const drawFigure = (place, figure) => {
  const chapter = place.closest(".chapter");
  const plot = place.querySelector(".plot");
  figure.cells = chapter && data.cells[Number(chapter.id.replace("chapter-", ""))];
  drawn.set(plot, moveIn(plot, figure));
  const draw = () => Plotly.react(
    plot,
    figure.series.map((series) => trace(figure, series)),
    layout({ xaxis: axis(figure.x), yaxis: axis(figure.y), shapes: cursorLines(figure.x) }),
    SETTINGS,
  );
  present(place, draw, () => rowsOf(figure));
};

// The points that the arrow keys go through: of all series that are shown, without single repetitions.
const rowsOf = (figure) => figure.series.flatMap((series, curveNumber) => (
  series.on && series.look !== "specks" ? [series.x.map((_, pointNumber) => ({ curveNumber, pointNumber }))] : []));

// Controls in a row of which the tabulator reaches one, and the arrow keys the others.
const makeToolbar = (box, controls) => {
  box.setAttribute("role", "toolbar");
  const enter = (control) => controls.forEach((other) => { other.tabIndex = other === control ? 0 : -1; });
  enter(controls[0]);
  box.addEventListener("focusin", (event) => enter(event.target));
  box.addEventListener("keydown", (event) => {
    const place = controls.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || place < 0) return;
    event.preventDefault();
    controls[(place + step + controls.length) % controls.length].focus();
  });
};

// Check boxes in place of a legend, for the series of these figures.
const toggles = (places) => {
  const allSeries = () => places.flatMap((place) => data.figures[place.dataset.figure].series);
  const names = [...new Set(allSeries().map((series) => series.name))];
  const box = make("div", { className: "toggles" }, make("span", { textContent: "Show" }));
  box.setAttribute("aria-label", "Series of the figures");
  const controls = names.map((name) => {
    const [first] = allSeries().filter((series) => series.name === name);
    const check = make("input", { type: "checkbox", checked: first.on, value: name });
    check.addEventListener("change", () => {
      allSeries().filter((series) => series.name === name).forEach((series) => { series.on = check.checked; });
      places.forEach((place) => place.redraw?.());
    });
    box.append(make("label", {}, check, swatch(first.colour), name));
    return check;
  });
  makeToolbar(box, controls);
  return box;
};

// The figures of one algorithm have one row of check boxes, if their series have the same names.
const addToggles = (places) => {
  const names = (place) => data.figures[place.dataset.figure].series.map((series) => series.name);
  const [first] = places;
  const known = new Set(names(first));
  const [together, others] = [[], []];
  places.forEach((place) => (names(place).every((name) => known.has(name)) ? together : others).push(place));
  first.before(toggles(together));
  if (others.length) addToggles(others);
};

document.querySelectorAll("figure").forEach((place) => place.append(make("p", { className: "told", role: "status" })));
document.querySelectorAll(".algorithm").forEach((section) => {
  const places = [...section.querySelectorAll("figure[data-figure]")];
  if (places.length) addToggles(places);
});
document.querySelectorAll("figure[data-figure]").forEach((place) => {
  if (!place.closest(".algorithm")) place.querySelector(".plot").before(toggles([place]));
});

// A figure is drawn when it comes near the window.
const later = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((own) => own.isIntersecting)) {
    later.unobserve(entry.target);
    const { figure, map, distribution } = entry.target.dataset;
    if (distribution !== undefined) startDistribution(entry.target, Number(distribution));
    else if (map !== undefined) drawMap(entry.target, data.maps[map]);
    else if (figure !== undefined) drawFigure(entry.target, data.figures[figure]);
  }
}, { rootMargin: "600px" });
document.querySelectorAll("figure").forEach((place) => later.observe(place));
const redrawAll = () => document.querySelectorAll("figure").forEach((place) => place.redraw?.());
