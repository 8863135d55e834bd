// Bundles Plotly for the page: node bundle.mjs FOLDER, beside the node_modules of xtask/fetch-plotly. Cuts from its
// sources what could send a figure elsewhere, all addresses, and what the page does not use. Writes FOLDER/plotly.min.js
// and FOLDER/LICENSES.txt. Fails if a cut finds nothing, or if words of what was cut are left.
import { parse } from "acorn";
import { build } from "esbuild-wasm";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const ADDRESS = /(https?:)?\/\/[\w-]+\.[\w.-]+[^\s"'`\\)]*/g;
const NAMESPACE = /^http:\/\/www\.w3\.org\/(2000\/svg|2000\/xmlns\/|1999\/xlink|1999\/xhtml|XML\/1998\/namespace)$/;
const isForeign = (address) => !NAMESPACE.test(address);
const LEFT = /cloud|chart studio|plot\.ly|plotly\.com|\bupload/i;

// Properties and assigned members, by the end of a file's name: descriptions of attributes, the upload, the logo, and icons
// of Font Awesome, two of which are drawn anew.
const CUTS = [
  [".js", ["description", "plotlyServerURL", "showSendToCloud", "sendDataToCloud", "sendChartToCloud", "topojsonURL", "getLogo"]],
  ["plotcss.js", [".plotly-cloud-dialog"]],
  ["ploticon.js", ["cloudupload", "plotlylogo", "newplotlylogo", "undo", "home", "camera-retro", "disk", "question"]],
];
const ICONS = `
  home: { width: 20, height: 20, path: "M10 2L1 10H4V18H8V12H12V18H16V10H19Z" },
  question: { width: 20, height: 20, path: "M8 2H12V12H8ZM8 14H12V18H8Z" },`;

// Modules that are replaced: the dialog of the upload, what only maps and WebGL call, one that comes without the text of
// its licence, and one that was taken from another project.
const REPLACED = new Map([
  ["./share_chart/dialog", ""],
  ["./preserve_drawing_buffer", ""],
  ["maplibre-gl/dist/maplibre-gl.css", ""],
  ["has-hover", "module.exports = matchMedia('(hover: hover)').matches;"],
  ["./filesaver", `const { createBlob } = require("plotly.js/src/snapshot/helpers");
    module.exports = async (url, download, format) => {
      const href = URL.createObjectURL(createBlob(url, format));
      Object.assign(document.createElement("a"), { href, download }).click();
      URL.revokeObjectURL(href);
      return download;
    };`],
]);
const EDITS = new Map([
  ["if(context.showSendToCloud) commonGroup.push('sendChartToCloud');", ""],
  ["if(context.watermark || context.displaylogo) {", "this.hasLogo = context.displaylogo;\nif(false) {"],
  ["module.exports = {\n    curlybraces:", `module.exports = {${ICONS}\n    curlybraces:`],
]);
const unused = new Set([...CUTS.flatMap(([, names]) => names), ...REPLACED.keys(), ...EDITS.keys()]);

// The parts of a source that are replaced, as [start, end, text]. `next` is where the property after this one begins.
const cuts = function* (text, names, node, next) {
  const name = node.type === "Property" ? node.key.name ?? node.key.value
    : node.type === "ExpressionStatement" ? node.expression.left?.property?.name : undefined;
  const found = typeof name === "string" && names.find((one) => name === one || one[0] === "." && name.includes(one));
  if (found) {
    unused.delete(found);
    yield [node.start, next ?? node.end + /^\s*,?/.exec(text.slice(node.end))[0].length, ""];
  } else if (node.type === "Literal" && typeof node.value === "string" && node.value.match(ADDRESS)?.some(isForeign)) {
    yield [node.start, node.end, '""'];
  } else {
    for (const children of Object.values(node).map((child) => [child].flat())) {
      for (const [place, child] of children.entries()) {
        if (typeof child?.type !== "string") continue;
        yield* cuts(text, names, child, child.type === "Property" ? children[place + 1]?.start : undefined);
      }
    }
  }
};

const cutSource = (path) => {
  let text = readFileSync(path, "utf8");
  const names = CUTS.flatMap(([end, list]) => (path.endsWith(end) ? list : []));
  const found = [...cuts(text, names, parse(text, { ecmaVersion: "latest" }))];
  for (const [start, end, replacement] of found.reverse()) text = text.slice(0, start) + replacement + text.slice(end);
  for (const [old, edited] of EDITS) {
    if (!text.includes(old)) continue;
    unused.delete(old);
    text = text.replace(old, () => edited);
  }
  return text;
};

const plugin = {
  name: "cut",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /./ }, ({ path }) => {
      if (!REPLACED.has(path)) return undefined;
      unused.delete(path);
      return { path, namespace: "replaced" };
    });
    onLoad({ filter: /./, namespace: "replaced" }, ({ path }) => ({ contents: REPLACED.get(path), resolveDir: process.cwd() }));
    onLoad({ filter: /plotly\.js\/.*\.js$/ }, ({ path }) => ({ contents: cutSource(path) }));
  },
};

const packageOf = (path) => /^node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1];
const licence = (name) => {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return `== ${name} ${version} ==\n\n${readFileSync(`${folder}/${file}`, "utf8").replace(/\r/g, "").trim()}\n`;
};

const { metafile, outputFiles: [{ text: bundle }] } = await build({
  entryPoints: ["entry.cjs"], bundle: true, minify: true, format: "iife", globalName: "Plotly", define: { global: "window" },
  target: "es2020", charset: "utf8", legalComments: "none", metafile: true, write: false, plugins: [plugin],
});
const left = [/<\/script|<!--/i.exec(bundle)?.[0], ...(bundle.match(ADDRESS) ?? []).filter(isForeign), LEFT.exec(bundle)?.[0]].filter(Boolean);
if (unused.size > 0 || left.length > 0) throw new Error(`cuts without use: ${[...unused]}; left: ${left}`);

// What esbuild adds are the lines that join the modules.
const [{ inputs }] = Object.values(metafile.outputs);
const parts = new Set(Object.keys(inputs).map(packageOf).filter(Boolean));
const licences = ["plotly.js", ...[...parts].filter((name) => name !== "plotly.js"), "esbuild-wasm"];
const { version } = JSON.parse(readFileSync("node_modules/plotly.js/package.json", "utf8"));
writeFileSync(`${process.argv[2]}/plotly.min.js`, `// A part of plotly.js ${version}; the licences of all that it contains stand beside it.\n${bundle}`);
writeFileSync(`${process.argv[2]}/LICENSES.txt`, licences.map(licence).join("\n"));
