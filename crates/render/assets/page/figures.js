// Draws figures and maps with the plotting library.
const frame = () => ({
  ground: variable("--ground"), ink: variable("--ink"), line: variable("--line"), panel: variable("--panel"),
});

// Places of values along an axis, in the units of the plotting library. An axis of a shifted logarithm is linear there.
const isShifted = (own) => typeof own.scale === "object";
const placed = (own, value) => (isShifted(own) ? Math.log10(1 + Math.max(value / own.scale.unit, -0.9)) : value);

const axis = (own) => ({
  title: { text: own.title, standoff: 14 },
  type: own.scale === "log" ? "log" : "linear",
  range: own.range.map((end) => (own.scale === "log" ? Math.log10(end) : placed(own, end))),
  tickvals: own.ticks.map((tick) => placed(own, tick[0])),
  ticktext: own.ticks.map((tick) => shownName(tick[1])),
  gridcolor: frame().line,
  zeroline: !own.names,
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
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
};

// Places beside a place, evenly from -1 to 1, as in the still pictures.
const jitter = (number) => 2 * ((number * 0.618033988749895) % 1) - 1;

// The points of a series: of specks one for each repetition, with its true place and the one where it is drawn.
const points = (figure, series) => {
  if (series.look !== "specks") return { x: series.x, y: series.y, at: series.x };
  const { algorithm, held } = series.cells || {};
  const found = series.cells
    ? figure.cells.cells.filter((own) => own[0] === algorithm && own[1] === series.procs && own[3] === Number(held))
      .map((own) => [own[2], own[8]])
    : series.strips;
  const all = found.flatMap(([x, times]) => times.map((y, place) => [x, y, jitter(place)]));
  const drawn = figure.x.scale === "log" ? (x, share) => x * Math.exp(0.05 * share) : (x, share) => x + 0.2 * share;
  return { x: all.map((own) => own[0]), y: all.map((own) => own[1]), at: all.map((own) => drawn(own[0], own[2])) };
};

const valueText = (own, value) => {
  const named = own.names && own.ticks.find((tick) => Math.abs(tick[0] - value) < 0.4);
  return named ? shownName(named[1]) : text[own.quantity](value);
};

// A name as the plotting library shows it: it takes some marks of HTML for styles and links.
const shownName = (name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const hover = (figure, series, { x: all, y: heights }) => {
  const [, meaning] = figure.key.find((own) => own[0] === series.look) || [];
  const name = shownName(series.name);
  const first = meaning ? `${name}: ${meaning}` : name;
  return all.map((x, place) => {
    const y = valueText(figure.y, heights[place]);
    const value = series.upper ? `${y} to ${valueText(figure.y, series.upper[place])}` : y;
    return [first, `${figure.x.title}: ${valueText(figure.x, x)}`, `${figure.y.title}: ${value}`].join("<br>");
  });
};

const SHAPES = { arrows: "triangle-up-open", stars: "star", bars: "line-ew-open" };
const WIDTHS = { specks: 4, stars: 13, arrows: 11, bars: 9, dots: 8, rings: 9 };
const isLine = (series) => series.look === "line" || series.look === "dashes";

const trace = (figure, series) => {
  const own = colour(series.colour);
  const { x, y, at } = points(figure, series);
  const words = hover(figure, series, { x, y });
  const heights = y.map((value) => placed(figure.y, value));
  const upper = series.upper && series.upper.map((value) => placed(figure.y, value));
  const common = { name: series.name, visible: series.on, hoverinfo: "text", text: words, opacity: emphasis(figure, series) };
  if (series.look === "band") {
    return {
      ...common,
      x: [...at, ...[...at].reverse()],
      y: [...heights, ...[...upper].reverse()],
      text: [...words, ...[...words].reverse()],
      mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: shade(own, 0.18), hoveron: "points",
    };
  }
  const mark = MARKS[Number(series.colour.slice(1)) % MARKS.length] + (series.look === "rings" ? "-open" : "");
  const faint = series.look === "specks" ? shade(own, series.strips ? 0.6 : 0.35) : own;
  return {
    ...common, x: at, y: heights,
    mode: isLine(series) ? "lines" : "markers",
    line: { color: own, width: 2, dash: series.look === "dashes" ? "dash" : "solid" },
    marker: {
      color: faint, symbol: SHAPES[series.look] || (series.look === "specks" ? "circle" : mark), size: WIDTHS[series.look] || 7,
      line: { color: own, width: series.look === "specks" ? 0 : 1.5 },
    },
    ...(series.look === "bars" ? {
      error_y: { type: "data", symmetric: false, array: upper.map((end, place) => end - heights[place]), color: own, thickness: 3, width: 5 },
    } : {}),
  };
};

// A colour between two others, given as #rrggbb.
const mixed = (one, other, share) => `#${[1, 3, 5].map((place) => {
  const [a, b] = [one, other].map((own) => parseInt(own.slice(place, place + 2), 16));
  return Math.round(a * share + b * (1 - share)).toString(16).padStart(2, "0");
}).join("")}`;
const PALE = 0.35;

const drawMap = (place, map) => {
  // Each algorithm has two values: the first where its choice is sure.
  const count = 2 * map.names.length;
  const places = (items) => items.map((_, number) => number);
  const names = (title, items) => ({
    title: { text: title }, tickvals: places(items), ticktext: items, automargin: true, showgrid: false, zeroline: false,
  });
  const sizes = map.sizes.map(bytes);
  const tiles = map.tiles.flatMap((row, r) => row.map((tile, c) => ({ tile, r, c }))).filter((own) => own.tile);
  const tileColour = (number) => {
    const own = colour(map.colours[number >> 1]);
    return number % 2 ? mixed(own, frame().ground, PALE) : own;
  };
  const draw = (plot) => {
    const steps = places(Array(count).fill(0)).flatMap((number) => (
      [[number / count, tileColour(number)], [(number + 1) / count, tileColour(number)]]));
    const each = (of) => map.tiles.map((row, r) => row.map((tile, c) => of(tile, r, c)));
    return Plotly.react(plot, [{
      type: "heatmap", x: places(sizes), y: places(map.procs), hoverinfo: "text",
      z: each((tile) => (tile ? 2 * tile.best + Number(tile.unsure) : null)),
      text: each((tile, r, c) => `${map.procs[r]} processes, ${sizes[c]}<br>${tile ? shownName(tile.words) : "not predicted"}`),
      colorscale: steps, zmin: -0.5, zmax: count - 0.5, showscale: false, xgap: 1, ygap: 1,
    }], layout({
      height: Math.max(320, 110 + 22 * map.procs.length),
      shapes: cursorTile(map),
      xaxis: names(map.size_title, sizes),
      yaxis: names("processes", map.procs),
      annotations: tiles.filter((own) => own.tile.gain >= 1.05).map(({ tile, r, c }) => ({
        x: c, y: r, text: tile.gain.toFixed(1) + (tile.unsure ? "?" : ""), showarrow: false,
        font: { color: tile.unsure ? frame().ink : variable("--on-colour"), size: 11 },
      })),
    }), SETTINGS);
  };
  const key = make("p", { className: "toggles" });
  map.names.forEach((name, number) => key.append(make("span", {}, swatch(map.colours[number]), ` ${name}`)));
  const cells = () => map.tiles.map((row, r) => row.map((_, c) => ({ curveNumber: 0, xval: c, yval: r })));
  const plot = place.querySelector(".plot");
  plot.before(key);
  drawn.set(plot, () => Plotly.relayout(plot, { shapes: cursorTile(map) }));
  present(place, draw, cells);
};
