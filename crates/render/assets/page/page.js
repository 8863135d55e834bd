// Reacts to the choices of the reader: algorithm, theme, copying, opened tables, print.

// One algorithm of a chapter at a time.
document.querySelectorAll(".chooser select").forEach((choice) => {
  const all = [...choice.closest(".algorithms").querySelectorAll(".algorithm")];
  choice.addEventListener("change", () => {
    all.forEach((own, number) => own.classList.toggle("chosen", number === choice.selectedIndex));
  });
});

// Light and dark.
document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  redrawAll();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);

// Copies a command without the mark of what the reader adds.
document.querySelectorAll(".copy").forEach((button) => button.addEventListener("click", async () => {
  const code = button.parentElement.querySelector("code");
  const words = code.textContent.replace(/\s*…$/, " ");
  try {
    await navigator.clipboard.writeText(words);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}));

// Says of an opened table that it goes on.
const tell = (table) => {
  const scroll = table.querySelector(".scroll");
  table.querySelector(".more").hidden = scroll.scrollWidth <= scroll.clientWidth;
};
const tables = [...document.querySelectorAll("details.table")];
tables.forEach((table) => table.addEventListener("toggle", () => tell(table)));
addEventListener("resize", () => tables.filter((table) => table.open).forEach(tell));

// Print has all tables open.
let closed = [];
addEventListener("beforeprint", () => {
  closed = tables.filter((table) => !table.open);
  closed.forEach((table) => { table.open = true; });
});
addEventListener("afterprint", () => closed.forEach((table) => { table.open = false; }));
