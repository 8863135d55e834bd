// The form of the predictor.
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
