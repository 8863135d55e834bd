// Draws the repetitions of one measured cell: the library's own choice beside the best other algorithm.
const distributions = new Map();

// 1, 2 and 5 times the powers of ten between two times, or the powers alone.
const timeTicks = ([least, most]) => {
  const powers = Array.from({ length: 16 }, (_, place) => 10 ** (place - 12));
  const inside = (factors) => powers.flatMap((ten) => factors.map((factor) => factor * ten)).filter((own) => own >= least && own <= most);
  const [fine, coarse] = [inside([1, 2, 5]), inside([1])];
  const even = [0.2, 0.4, 0.6, 0.8].map((share) => least + share * (most - least));
  return (fine.length < 2 ? even : fine.length <= 9 ? fine : coarse).map((own) => [own, seconds(own).replace(".00", "").replace(".0", "")]);
};

const distributionFigure = (table, [, , places]) => {
  const cells = places.map((place) => table.cells[place]);
  const series = cells.flatMap((cell, place) => {
    const [algorithm, , , , median, , lower, upper, times] = cell;
    const common = { name: table.names[algorithm], colour: table.colours[algorithm], on: true };
    return [
      { ...common, look: "specks", x: [], y: [], strips: [[place, times]] },
      ...(lower === null ? [] : [{ ...common, look: "bars", x: [place + 0.3], y: [lower], upper: [upper] }]),
      { ...common, look: "dots", x: [place], y: [median] },
    ];
  });
  const all = cells.flatMap((cell) => [cell[4], cell[6], cell[7], ...cell[8]]).filter((own) => own > 0);
  const range = [Math.min(...all) / 1.25, Math.max(...all) * 1.25];
  const names = cells.map((cell, place) => [place, table.names[cell[0]]]);
  return {
    key: [["specks", "single repetition"], ["dots", "measured median"], ["bars", `predicted, ${table.interval}`]],
    x: { title: "algorithm", quantity: "number", names: true, scale: "linear", range: [-0.5, cells.length - 0.5], ticks: names },
    y: { title: "time", quantity: "seconds", scale: "log", range, ticks: timeTicks(range) },
    series,
  };
};

// The measured cell that is the nearest to a process count and size: one with two algorithms, if there is any.
const nearestContest = (table, procs, size) => {
  const pairs = table.contests.filter((own) => own[2].length > 1);
  const distance = (own) => Math.abs(Math.log(own[0] / procs)) + Math.abs(Math.log(own[1] / size));
  return (pairs.length ? pairs : table.contests).reduce((best, own) => (distance(own) < distance(best) ? own : best));
};

const drawDistribution = (place, chapterNumber, procs, size) => {
  const table = data.cells[chapterNumber];
  const contest = nearestContest(table, procs, size);
  const known = distributions.get(place);
  if (known) {
    const isOther = known.contest !== contest;
    known.contest = contest;
    if (isOther) place.redraw();
    return;
  }
  const state = { contest };
  distributions.set(place, state);
  const says = make("p", { className: "alt" });
  place.querySelector(".plot").before(says);
  let figure;
  const draw = (plot) => {
    figure = distributionFigure(table, state.contest);
    says.textContent = `Measured cell: ${state.contest[0]} processes, ${bytes(state.contest[1])}.`;
    return Plotly.react(plot, figure.series.map((series) => trace(figure, series)), layout({
      xaxis: axis(figure.x), yaxis: axis(figure.y),
    }), SETTINGS);
  };
  present(place, draw, () => [rowsOf(figure).flat()]);
};

// The cell of the still picture, where the library loses most.
const startDistribution = (place, chapterNumber) => {
  const table = data.cells[chapterNumber];
  const [procs, size] = table.contests[table.widest];
  drawDistribution(place, chapterNumber, procs, size);
};
