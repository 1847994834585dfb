// The command palette: pages of the navigation at once, things by a look-up. Opened by its buttons
// and by Ctrl or Cmd with K; works by keyboard alone. Without it every page is a link in the menu.
const openers = document.querySelectorAll("[data-palette]");
const links = [...document.querySelectorAll("#menu .nav-list a")];
let dialog;
let input;
let list;
let timer;
let shown; // the words that the list answers

const build = () => {
  dialog = document.createElement("dialog");
  dialog.className = "palette";
  const label = document.createElement("label");
  label.className = "visually-hidden";
  label.htmlFor = "palette-q";
  label.textContent = "Search or jump to";
  input = document.createElement("input");
  Object.assign(input, { id: "palette-q", className: "input", type: "search", autocomplete: "off" });
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", "palette-list");
  list = document.createElement("div");
  list.id = "palette-list";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  dialog.append(label, input, list);
  document.body.append(dialog);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") enter();
    else if (event.key === "Escape") dialog.close(); // a search field would only empty itself
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("click", (event) => {
    const option = event.target.closest("[data-href]");
    if (option) location.assign(option.dataset.href);
    else if (event.target === dialog) dialog.close();
  });
};

const options = () => [...list.querySelectorAll("[role=option]")];
const chosen = () => list.querySelector("[aria-selected=true]");

const select = (option) => {
  for (const other of options()) other.setAttribute("aria-selected", String(other === option));
  if (!option) return;
  input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
};

const move = (step) => {
  const all = options();
  if (all.length) select(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
};

// Who types and presses Enter at once means what they typed, not what was listed before.
const enter = async () => {
  clearTimeout(timer);
  if (shown !== typed()) await show();
  chosen()?.click();
};

const typed = () => input.value.trim().toLowerCase();

const show = async () => {
  const words = typed();
  const pages = links
    .filter((link) => link.firstChild.textContent.toLowerCase().includes(words))
    .map((link) => ({ group: "Go to", label: link.firstChild.textContent.trim(), note: "", href: link.getAttribute("href") }));
  let found = [];
  if (words) {
    const answer = await fetch(`/app/search.json?q=${encodeURIComponent(words)}`).catch(() => null);
    if (answer?.ok) found = (await answer.json()).items;
    if (typed() !== words) return;
  }
  shown = words;
  render([...pages, ...found]);
};

const render = (items) => {
  list.replaceChildren();
  const groups = Map.groupBy ? Map.groupBy(items, (item) => item.group) : new Map([["Results", items]]);
  let number = 0;
  for (const [name, members] of groups) {
    const group = document.createElement("div");
    const head = document.createElement("p");
    head.id = `palette-g${number}`;
    head.textContent = name;
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", head.id);
    group.append(head);
    for (const item of members) {
      const option = document.createElement("div");
      option.id = `palette-${number++}`;
      option.setAttribute("role", "option");
      option.dataset.href = item.href;
      const label = document.createElement("span");
      const note = document.createElement("span");
      label.dir = "auto";
      label.textContent = item.label;
      note.textContent = item.note;
      option.append(label, note);
      group.append(option);
    }
    list.append(group);
  }
  select(options()[0]);
};

const open = () => {
  if (!dialog) build();
  input.value = "";
  dialog.showModal();
  show();
};

for (const opener of openers) opener.addEventListener("click", open);
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  open();
});
