// What a page needs of Plotly, in the order of its src/core.js: the functions, the traces and the parts of figures.
require("plotly.js/build/plotcss");
const { register } = require("plotly.js/src/registry");
const functions = require("plotly.js/src/plot_api");
const Fx = require("plotly.js/src/components/fx");
const { resize } = require("plotly.js/src/plots/plots");

Object.entries(functions).forEach(([name, fn]) => register({ moduleType: "apiMethod", name, fn }));
register([
  require("plotly.js/src/traces/scatter"),
  require("plotly.js/src/traces/bar"),
  require("plotly.js/src/traces/heatmap"),
  require("plotly.js/src/components/annotations"),
  require("plotly.js/src/components/selections"),
  require("plotly.js/src/components/shapes"),
  require("plotly.js/src/components/errorbars"),
  require("plotly.js/src/components/colorscale"),
  require("plotly.js/src/components/colorbar"),
  require("plotly.js/src/components/legend"),
  Fx,
  require("plotly.js/src/components/modebar"),
  require("plotly.js/src/locale-en"),
  require("plotly.js/src/locale-en-us"),
]);
module.exports = { ...functions, register, Fx, Plots: { resize } };
