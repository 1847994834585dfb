// What is typed is kept: after a pause, one save at a time, and the indicator says what is true.
const PAUSE = 1200;
const AGAIN = 10_000;

const shown = document.getElementById("saved");
const form = shown.closest("form");
let dirty = false;
let saving = false;
let stopped = false;
let timer;

function say(text) {
  if (shown.textContent !== text) shown.textContent = text;
}

function later(pause = PAUSE) {
  clearTimeout(timer);
  if (!stopped) timer = setTimeout(save, pause);
}

function page() {
  const sent = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") sent.append(name, value);
  return sent;
}

async function save() {
  clearTimeout(timer);
  if (saving || !dirty || stopped) return;
  saving = true;
  dirty = false;
  say(shown.dataset.saving);
  try {
    const body = page();
    const keepalive = body.toString().length < 60_000; // browsers keep no more than that alive
    const answer = await fetch(`${location.pathname}/draft`, { method: "POST", body, keepalive });
    const told = await answer.json();
    if (answer.ok) kept(told);
    else refused(told, answer);
  } catch {
    dirty = true;
    say(shown.dataset.offline);
    later(AGAIN);
  }
  saving = false;
  if (dirty) later();
}

function kept({ draft, version, at, bound }) {
  form.elements.draft.value = draft;
  form.elements.draft_version.value = version;
  const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const signedOut = form.dataset.signedIn && !bound ? ` ${shown.dataset.signedout}` : "";
  if (!dirty) say(shown.dataset.saved.replace("{at}", time) + signedOut);
}

function refused({ error }, answer) {
  dirty = true;
  say(error);
  if (answer.status === 429) later(1000 * Number(answer.headers.get("retry-after") ?? 60));
  else stopped = true; // Closed, submitted, gone on with elsewhere: saving again would not help.
}

form.addEventListener("input", ({ target }) => {
  if (target.name === "draft_address") return;
  dirty = true;
  if (stopped) return;
  if (!saving) say(shown.dataset.waiting);
  later();
});
form.addEventListener("submit", () => {
  stopped = true;
  dirty = false;
});
addEventListener("visibilitychange", () => {
  if (document.hidden) save();
});
addEventListener("beforeunload", (leaving) => {
  if (dirty) leaving.preventDefault();
});
