// Data of the page, texts of quantities, and colours.
const data = JSON.parse(document.getElementById("report-data").textContent);
const root = document.documentElement;
root.classList.add("has-script");

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
  processes: (value) => `${Math.round(value)}`,
  number: (value) => `${Math.round(value * 1000) / 1000}`,
};

const isDark = () => getComputedStyle(root).colorScheme === "dark";
const variable = (name) => getComputedStyle(root).getPropertyValue(name).trim();
// A colour by its name: c0 and so on of algorithms, p0 and so on of ordered things.
const colour = (name) => variable(`--${name}`);
const shade = (own, share) => own + Math.round(share * 255).toString(16).padStart(2, "0");
const swatch = (name) => {
  const box = make("span", { className: "swatch" });
  box.style.background = `var(--${name})`;
  return box;
};
