// The page of `netsig report`: draws the figures, filters them, and interpolates predicted times from the
// tables that netsig wrote into the page. It computes no model.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const root = document.documentElement;
  root.classList.add("has-script");

  const COLOURS = 8;
  const MARKS = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "x"];

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // Texts of quantities, as netsig prints them.
  const digits = (value) => value.toFixed(Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2);
  const seconds = (value) => {
    const size = Math.abs(value);
    if (size === 0 || size >= 0.9995) return `${digits(value)} s`;
    if (size >= 0.9995e-3) return `${digits(value * 1e3)} ms`;
    if (size >= 0.9995e-6) return `${digits(value * 1e6)} µs`;
    return `${digits(value * 1e9)} ns`;
  };
  const bytes = (value) => {
    for (const [scale, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
      if (value >= scale && value % scale === 0) return `${value / scale} ${unit}`;
    }
    return `${Math.round(value)} B`;
  };
  const text = {
    seconds,
    bytes,
    percent: (value) => `${(value * 100).toFixed(1)} %`,
    number: (value) => `${Math.round(value * 1000) / 1000}`,
  };

  const isDark = () => getComputedStyle(root).colorScheme === "dark";
  const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (number) => variable(`--c${number % COLOURS}`);
  const shade = (own, share) => own + Math.round(share * 255).toString(16).padStart(2, "0");
  const swatch = (number) => {
    const box = make("span", { className: "swatch" });
    box.style.background = `var(--c${number % COLOURS})`;
    return box;
  };

  const frame = () => ({
    ground: variable("--ground"), ink: variable("--ink"), line: variable("--line"), panel: variable("--panel"),
  });

  const axis = (own) => ({
    title: { text: own.title },
    type: own.log ? "log" : "linear",
    range: own.log ? own.range.map(Math.log10) : own.range,
    tickvals: own.ticks.map((tick) => tick[0]),
    ticktext: own.ticks.map((tick) => tick[1]),
    gridcolor: frame().line,
    zerolinecolor: frame().ink,
    linecolor: frame().line,
    automargin: true,
  });

  const layout = (more) => ({
    paper_bgcolor: frame().ground,
    plot_bgcolor: frame().ground,
    font: { color: frame().ink, family: "system-ui, sans-serif", size: 13 },
    margin: { l: 60, r: 12, t: 34, b: 48 },
    height: 420,
    showlegend: false,
    hovermode: "closest",
    hoverlabel: { bgcolor: frame().panel, font: { color: frame().ink }, bordercolor: frame().line },
    ...more,
  });

  const SETTINGS = {
    responsive: true,
    displaylogo: false,
    scrollZoom: false,
    // No button that offers to upload the data.
    showSendToCloud: false,
    plotlyServerURL: "",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  };

  const hover = (figure, series) => series.x.map((x, place) => {
    const y = series.y[place];
    const words = [series.name, `${figure.x.title}: ${text[figure.x.quantity](x)}`];
    if (series.look === "band") {
      words.push(`interval: ${text[figure.y.quantity](y)} to ${text[figure.y.quantity](series.upper[place])}`);
    } else {
      words.push(`${figure.y.title}: ${text[figure.y.quantity](y)}`);
    }
    return words.join("<br>");
  });

  const trace = (figure, series) => {
    const own = colour(series.colour);
    const common = { name: series.name, visible: series.on, hoverinfo: "text", text: hover(figure, series) };
    if (series.look === "band") {
      return {
        ...common,
        x: [...series.x, ...[...series.x].reverse()],
        y: [...series.y, ...[...series.upper].reverse()],
        text: [...common.text, ...[...common.text].reverse()],
        mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: shade(own, 0.18), hoveron: "points",
      };
    }
    const dash = series.look === "dashes" ? "dash" : "solid";
    const symbol = MARKS[series.colour % MARKS.length] + (series.look === "rings" ? "-open" : "");
    const isLine = series.look === "line" || series.look === "dashes";
    return {
      ...common, x: series.x, y: series.y,
      mode: isLine ? "lines" : "markers",
      line: { color: own, width: 2, dash },
      marker: { color: isLine ? own : shade(own, 0.75), symbol, size: 7, line: { color: own, width: 1.5 } },
    };
  };

  const plots = [];

  // Draws a figure below its `head` and again after changes. The arrow keys go through the points of its `rows`;
  // a reader of screens hears them, and not the drawing.
  const present = (place, head, draw, rows) => {
    const plot = place.querySelector(".plot");
    const hide = () => plot.querySelectorAll(".main-svg").forEach((own) => own.setAttribute("aria-hidden", "true"));
    const redraw = () => draw(plot).then(hide);
    const step = stepper(plot, rows);
    const told = make("p", { className: "told", role: "status" });
    place.insertBefore(head(redraw), plot);
    place.append(told);
    plot.tabIndex = 0;
    plot.addEventListener("keydown", (event) => {
      const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0] }[event.key];
      if (!move || event.target !== plot) return;
      event.preventDefault();
      step(...move);
    });
    plot.addEventListener("blur", () => Plotly.Fx.unhover(plot));
    plots.push(redraw);
    redraw().then(() => plot.on("plotly_hover", (event) => {
      told.textContent = event.points[0].text.replaceAll("<br>", ", ");
    }));
  };

  // Goes to a neighbour of the last point among the rows of now, and shows its values.
  const stepper = (plot, rows) => {
    let [row, column] = [0, -1];
    return (up, right) => {
      const all = rows();
      if (all.length === 0) return;
      row = (row + up + all.length) % all.length;
      const length = all[row].length;
      column = (Math.min(column, length - 1) + right + length) % length;
      Plotly.Fx.hover(plot, [all[row][column]]);
    };
  };

  const drawFigure = (place, figure) => {
    const draw = (plot) => Plotly.react(
      plot,
      figure.series.map((series) => trace(figure, series)),
      layout({ xaxis: axis(figure.x), yaxis: axis(figure.y) }),
      SETTINGS,
    );
    const points = () => figure.series.flatMap((series, curveNumber) => (
      series.on ? [series.x.map((_, pointNumber) => ({ curveNumber, pointNumber }))] : []));
    present(place, (redraw) => toggles(figure, redraw), draw, points);
  };

  // Check boxes in place of a legend: the keyboard reaches them.
  const toggles = (figure, redraw) => {
    const names = [...new Set(figure.series.map((series) => series.name))];
    const box = make("fieldset", { className: "toggles" }, make("legend", { textContent: "Show" }));
    for (const name of names) {
      const own = figure.series.filter((series) => series.name === name);
      const check = make("input", { type: "checkbox", checked: own[0].on, value: name });
      check.addEventListener("change", () => {
        own.forEach((series) => { series.on = check.checked; });
        redraw();
      });
      box.append(make("label", {}, check, swatch(own[0].colour), name));
    }
    return box;
  };

  const drawMap = (place, map) => {
    const count = Math.max(map.names.length, 2);
    const places = (items) => items.map((_, number) => number);
    const names = (title, items) => ({
      title: { text: title }, tickvals: places(items), ticktext: items, automargin: true, showgrid: false, zeroline: false,
    });
    const tiles = map.tiles.flatMap((row, r) => row.map((tile, c) => ({ tile, r, c }))).filter((own) => own.tile);
    const draw = (plot) => {
      const steps = places(Array(count).fill(0)).flatMap((number) => (
        [[number / count, colour(number)], [(number + 1) / count, colour(number)]]));
      const each = (of) => map.tiles.map((row, r) => row.map((tile, c) => of(tile, r, c)));
      return Plotly.react(plot, [{
        type: "heatmap", x: places(map.columns), y: places(map.rows), hoverinfo: "text",
        z: each((tile) => (tile ? tile.best : null)),
        text: each((tile, r, c) => `${map.rows[r]} processes, ${map.columns[c]}<br>${tile ? tile.words : "not predicted"}`),
        colorscale: steps, zmin: -0.5, zmax: count - 0.5, showscale: false, xgap: 1, ygap: 1,
      }], layout({
        height: Math.max(320, 110 + 22 * map.rows.length),

        xaxis: names(map.size_title, map.columns),
        yaxis: names("processes", map.rows),
        annotations: tiles.filter((own) => own.tile.gain >= 1.05).map(({ tile, r, c }) => ({
          x: c, y: r, text: tile.gain.toFixed(1), showarrow: false, font: { color: variable("--on-colour"), size: 11 },
        })),
      }), SETTINGS);
    };
    const key = make("p", { className: "toggles" });
    map.names.forEach((name, number) => key.append(make("span", {}, swatch(number), ` ${name}`)));
    key.append("Numbers: times as fast as the library's own choice.");
    const cells = () => map.tiles.map((row, r) => row.map((_, c) => ({ curveNumber: 0, xval: c, yval: r })));
    present(place, () => key, draw, cells);
  };

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

  // The predictor.
  const UNITS = { "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };
  const parseSize = (words) => {
    const found = /^\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*$/i.exec(words);
    const unit = found && UNITS[found[2].toLowerCase()];
    const size = unit && Number(found[1]) * unit;
    return size && Number.isInteger(size) ? size : null;
  };

  // The lists of a curve, which hold differences of rounded logarithms.
  const STEPS = 2000;
  const decoded = (curve) => {
    const summed = (column) => {
      let sum = 0;
      return column.map((step) => (step === null ? null : (sum += step)));
    };
    const spread = (runs) => curve.size.map((_, place) => runs.findLast((run) => run[0] <= place)[1]);
    const time = summed(curve.time);
    const beside = (column, sign) => summed(column).map((own, place) => (own === null ? null : (time[place] + sign * own) / STEPS));
    const breaks = new Set(curve.breaks);
    return {
      size: summed(curve.size), time: time.map((own) => own / STEPS),
      lower: beside(curve.lower, -1), upper: beside(curve.upper, 1), order: beside(curve.order, 1),
      name: spread(curve.name), standing: spread(curve.standing), held: spread(curve.held),
      on: curve.size.map((_, place) => !breaks.has(place)),
    };
  };
  const known = new Map();
  const decode = (curve) => {
    if (!known.has(curve)) known.set(curve, decoded(curve));
    return known.get(curve);
  };

  // The times of a curve at a size: of a knot, or between two knots that the curve connects.
  const at = (curve, size) => {
    const { size: sizes } = curve;
    let [low, high] = [0, sizes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sizes[middle] <= size) low = middle + 1; else high = middle;
    }
    const before = low - 1;
    if (before < 0) return null;
    const isKnot = sizes[before] === size;
    if (!isKnot && !(curve.on[before] && before + 1 < sizes.length)) return null;
    const share = isKnot ? 0 : Math.log(size / sizes[before]) / Math.log(sizes[before + 1] / sizes[before]);
    const value = (column) => {
      if (column[before] === null) return null;
      const after = isKnot ? column[before] : column[before + 1];
      return Math.exp(column[before] * (1 - share) + after * share);
    };
    return {
      time: value(curve.time), lower: value(curve.lower), upper: value(curve.upper), order: value(curve.order),
      name: curve.name[before], standing: curve.standing[before], isHeld: curve.held[before] === 1,
    };
  };

  const rank = (predictor, procs, size) => {
    const count = predictor.counts.find((own) => own.procs === procs);
    if (!count) return null;
    const found = count.curves.map((curve) => at(decode(curve), size)).filter((own) => own);
    const own = found.map((one) => ({
      ...one,
      algorithm: predictor.names[one.name],
      standing: predictor.standings[one.standing],
      setting: predictor.settings[one.name],
    }));
    const isLibrary = (one) => one.algorithm === "library";
    const library = own.find(isLibrary);
    // A time that is held to the library's is equal to it, and not only within the tolerance of the curves.
    own.filter((one) => one.isHeld && library).forEach((one) => { one.order = library.order; });
    own.sort((a, b) => a.order - b.order || isLibrary(b) - isLibrary(a) || a.time - b.time);
    own.forEach((one) => { one.gain = library ? library.time / one.time : null; });
    return own;
  };
  window.netsigReport = { rank: (place, procs, size) => rank(data.predictors[place], procs, size) };

  const form = document.getElementById("predict");
  if (form) {
    const get = (name) => document.getElementById(`predict-${name}`);
    const [choice, procs, size, says, ranking] = ["collective", "procs", "size", "says", "ranking"].map(get);
    data.predictors.forEach((own) => {
      const isAlone = data.predictors.filter((other) => other.collective === own.collective).length === 1;
      choice.append(make("option", { textContent: isAlone ? own.collective : `${own.collective} (${own.profile})` }));
    });
    const current = () => data.predictors[choice.selectedIndex];
    const counts = () => current().counts.map((own) => own.procs);
    const row = (one, number) => {
      const cells = [
        number + 1, one.algorithm, seconds(one.time),
        one.lower === null ? "" : seconds(one.lower), one.upper === null ? "" : seconds(one.upper),
        one.gain === null ? "" : `${one.gain.toFixed(2)} x`, one.standing, one.setting || "",
      ];
      const line = make("tr", { className: number ? "" : "first" }, ...cells.map((cell, place) => (
        make("td", { textContent: cell, className: place < 7 ? "tight" : "" }))));
      Object.assign(line.dataset, { algorithm: one.algorithm, time: one.time, lower: one.lower, upper: one.upper });
      return line;
    };
    const say = (words) => {
      says.textContent = words;
      ranking.hidden = true;
    };
    const answer = () => {
      const [wanted, amount] = [Number(procs.value), parseSize(size.value)];
      if (!amount) return say(`The size ${JSON.stringify(size.value)} is not a whole number of bytes: write 4096, 64KiB or 1MB.`);
      const found = rank(current(), wanted, amount);
      if (!found) return say(`${procs.value} processes are not in the table of this page, which has ${counts().join(", ")}. Write it with netsig report --procs ${procs.value || "N"}.`);
      if (!found.length) return say("Nothing is predicted here: too far from what was measured.");
      const [best] = found;
      const interval = best.lower === null ? "" : ` (${seconds(best.lower)} to ${seconds(best.upper)})`;
      says.textContent = `${best.algorithm} is ranked first: ${seconds(best.time)}${interval}.`;
      ranking.tBodies[0].replaceChildren(...found.map(row));
      ranking.hidden = false;
      return undefined;
    };
    const renew = () => {
      const all = counts();
      get("size-title").textContent = current().sizeTitle;
      get("counts").replaceChildren(...all.map((own) => make("option", { value: own })));
      procs.max = all[all.length - 1];
      if (!all.includes(Number(procs.value))) procs.value = all[Math.floor((all.length - 1) / 2)];
      answer();
    };
    choice.addEventListener("change", renew);
    [procs, size].forEach((field) => field.addEventListener("input", answer));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    renew();
  }
})();
