// The controls: a collective, a process count and a size, which the predictor and all figures follow.

// Moves the cursor of all figures, and has the figures of one cell draw the nearest one.
const follow = (procs, size) => {
  setCursor(procs, size);
  document.querySelectorAll("figure[data-distribution]").forEach((place) => {
    if (distributions.has(place)) drawDistribution(place, Number(place.dataset.distribution), procs, size);
  });
};

const form = document.getElementById("predict");
if (form) {
  const get = (name) => document.getElementById(`predict-${name}`);
  const [choice, procs, size, says, ranking] = ["collective", "procs", "size", "says", "ranking"].map(get);
  const [slideProcs, slideSize] = ["procs", "size"].map((name) => document.getElementById(`slide-${name}`));
  data.predictors.forEach((own) => {
    const isAlone = data.predictors.filter((other) => other.collective === own.collective).length === 1;
    choice.append(make("option", { textContent: isAlone ? own.collective : `${own.collective} (${own.profile})` }));
  });
  const current = () => data.predictors[choice.selectedIndex];
  const counts = () => current().counts.map((own) => own.procs);
  const nearestPlace = (all, value) => all.indexOf(nearest(all, value));

  const row = (one, number) => {
    const name = make("td", { className: "name", textContent: one.algorithm });
    if (one.setting) {
      const options = one.setting.split(/ (?=--)/);
      const words = options.flatMap((option) => [make("span", { className: "word", textContent: option }), " "]);
      name.append(make("code", { className: "setting" }, ...words));
    }
    const interval = one.lower === null ? "none" : `${seconds(one.lower)} to ${seconds(one.upper)}`;
    const cell = (className, textContent) => make("td", { className, textContent });
    const line = make(
      "tr", { className: number ? "" : "first" },
      cell("number rank", number + 1), name, cell("number time", seconds(one.time)), cell("number interval", interval),
      cell("number gain", one.gain === null ? "" : `${one.gain.toFixed(2)}×`), cell("standing", one.standing),
    );
    Object.assign(line.dataset, { algorithm: one.algorithm, time: one.time, lower: one.lower, upper: one.upper });
    return line;
  };
  const say = (words) => {
    says.textContent = words;
    ranking.tBodies[0].replaceChildren();
  };
  const answer = () => {
    const [wanted, amount] = [Number(procs.value), parseSize(size.value)];
    if (!amount) return say(`The size ${JSON.stringify(size.value)} is not a whole number of bytes: write 4096, 64KiB or 1MB.`);
    follow(wanted, amount);
    const found = rank(current(), wanted, amount);
    if (!found) return say(`${procs.value} processes are not in the table of this page, which has ${counts().join(", ")}. Write it with netsig report --procs ${procs.value || "N"}.`);
    if (!found.length) return say("Nothing is predicted here: too far from what was measured.");
    const [best] = found;
    const interval = best.lower === null ? "" : ` (${seconds(best.lower)} to ${seconds(best.upper)})`;
    says.textContent = `${best.algorithm} is ranked first: ${seconds(best.time)}${interval}.`;
    ranking.tBodies[0].replaceChildren(...found.map(row));
    return undefined;
  };
  // The sliders go to the values of the fields, or the fields to those of the sliders.
  const slide = () => {
    const [wanted, amount] = [Number(procs.value), parseSize(size.value)];
    if (wanted > 0) slideProcs.value = nearestPlace(counts(), wanted);
    if (amount) slideSize.value = nearestPlace(current().sizes, amount);
    slideProcs.setAttribute("aria-valuetext", `${procs.value} processes`);
    slideSize.setAttribute("aria-valuetext", size.value);
  };
  const renew = () => {
    const all = counts();
    get("size-title").textContent = current().sizeTitle;
    procs.max = all[all.length - 1];
    slideProcs.max = all.length - 1;
    slideSize.max = current().sizes.length - 1;
    if (!procs.value) {
      procs.value = nearest(all, current().start.procs);
      size.value = bytes(current().start.size);
    } else if (!all.includes(Number(procs.value))) {
      procs.value = nearest(all, Number(procs.value));
    }
    slide();
    answer();
  };
  const typed = () => { slide(); answer(); };
  choice.addEventListener("change", renew);
  [procs, size].forEach((field) => field.addEventListener("input", typed));
  slideProcs.addEventListener("input", () => { procs.value = counts()[slideProcs.value]; typed(); });
  slideSize.addEventListener("input", () => { size.value = bytes(current().sizes[slideSize.value]); typed(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  renew();
}
