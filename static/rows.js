// Lists by keyboard: j and k move, x selects, enter opens. Only while the list has focus, so that
// single keys never surprise somebody who types (WCAG 2.1.4).
for (const list of document.querySelectorAll("[data-rows]")) {
  const rows = () => [...list.querySelectorAll("tbody > tr")];
  const current = () => rows().findIndex((row) => row.contains(document.activeElement));
  const focus = (at) => {
    const row = rows()[at];
    const link = row?.querySelector("td.title a");
    link?.focus();
    row?.scrollIntoView({ block: "nearest" });
  };
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
    const at = current();
    if (event.key === "j") focus(Math.min(at + 1, rows().length - 1));
    else if (event.key === "k") focus(Math.max(at - 1, 0));
    else if (event.key === "x" && at >= 0) {
      const box = rows()[at].querySelector("input[type=checkbox]");
      if (box) box.checked = !box.checked;
    } else return;
    event.preventDefault();
  });
}
// From anywhere on the page, j enters the list.
document.addEventListener("keydown", (event) => {
  const busy = event.target.closest("input, select, textarea, [contenteditable], [data-rows]");
  if (event.key !== "j" || busy || event.ctrlKey || event.metaKey || event.altKey) return;
  document.querySelector("[data-rows] tbody td.title a")?.focus();
});
