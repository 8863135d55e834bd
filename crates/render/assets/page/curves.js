// Interpolates predicted times from the curves that netsig wrote into the page.
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
window.netsigReport = { rank: (place, procs, size) => rank(data.predictors[place], procs, size), setCursor };
