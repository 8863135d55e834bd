// The cursor: a process count and a size, to which figures draw a line and whose nearest series stand out.
let cursor = null;
const drawn = new Map();

const nearest = (values, wanted) => values.reduce((best, own) => (
  Math.abs(Math.log(own / wanted)) < Math.abs(Math.log(best / wanted)) ? own : best), values[0]);

const emphasis = (figure, series) => {
  const key = series.procs === undefined ? "size" : "procs";
  if (!cursor || !series[key] || !cursor[key]) return 1;
  const all = figure.series.filter((own) => own.on).map((own) => own[key]).filter((own) => own);
  return !all.length || series[key] === nearest(all, cursor[key]) ? 1 : 0.25;
};

// The lines of the cursor in a figure with this horizontal axis.
const cursorLines = (own) => {
  const value = cursor && { bytes: cursor.size, processes: cursor.procs }[own.quantity];
  if (!value || value < own.range[0] || value > own.range[1]) return [];
  return [{ type: "line", x0: value, x1: value, yref: "paper", y0: 0, y1: 1, line: { color: frame().ink, width: 1.5, dash: "dot" } }];
};

// The tile of the cursor in a map.
const cursorTile = (map) => {
  if (!cursor) return [];
  const [c, r] = [[map.sizes, cursor.size], [map.procs, cursor.procs]].map(([all, wanted]) => all.indexOf(nearest(all, wanted)));
  return [{ type: "rect", x0: c - 0.5, x1: c + 0.5, y0: r - 0.5, y1: r + 0.5, line: { color: frame().ink, width: 2.5 } }];
};

const isNear = (plot) => {
  const { top, bottom, height } = plot.getBoundingClientRect();
  return height > 0 && bottom > 0 && top < window.innerHeight;
};

// Moves the cursor in all drawn figures: at once in those on the screen, in the others when the cursor rests.
let resting;
const setCursor = (procs, size) => {
  cursor = { procs, size };
  const [near, far] = [true, false].map((wanted) => [...drawn].filter(([plot]) => isNear(plot) === wanted));
  near.forEach(([, move]) => move());
  clearTimeout(resting);
  resting = setTimeout(() => far.forEach(([, move]) => move()), 250);
};

const moveIn = (plot, figure) => () => Plotly.update(
  plot, { opacity: figure.series.map((series) => emphasis(figure, series)) }, { shapes: cursorLines(figure.x) });
