// Draws figures and maps with the plotting library.
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
  place.querySelector(".plot").before(key);
  present(place, draw, cells);
};
