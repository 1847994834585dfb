// The form while somebody fills it in: what hangs on an answer appears, limits count along.
import { shownFields } from "./conditions.js";
import { signs, words } from "./counting.js";

const form = document.querySelector("form[data-words]");
const rules = JSON.parse(form.dataset.rules ?? "[]");

function answer({ id, type }) {
  const inputs = [...form.querySelectorAll(`[name="${CSS.escape(id)}"]`)];
  const picked = inputs.filter((input) => input.checked).map((input) => input.value);
  if (type === "CHK") return picked.length > 0;
  if (type === "MULTI") return picked;
  if (inputs[0]?.type === "radio") return picked[0] ?? "";
  return inputs[0]?.value ?? "";
}

function showWhatIsAsked() {
  const answers = Object.fromEntries(rules.map((rule) => [rule.id, answer(rule)]));
  const shown = new Set(shownFields(rules, answers));
  for (const field of form.querySelectorAll("[data-field]")) {
    field.hidden = !shown.has(field.dataset.field);
  }
  for (const section of form.querySelectorAll(".form-section")) {
    const fields = [...section.querySelectorAll("[data-field]")];
    section.hidden = fields.length > 0 && fields.every((field) => field.hidden);
    const step = document.querySelector(`[data-step="${section.id}"]`);
    if (step) step.hidden = section.hidden;
  }
}

function countAlong(field, count, most, phrase) {
  const input = field.querySelector("textarea, input");
  const said = document.createElement("p");
  said.className = "hint count";
  const tell = () => {
    const n = count(input.value);
    said.textContent = phrase.replace("{n}", n).replace("{most}", most);
    said.classList.toggle("over", n > most);
  };
  input.addEventListener("input", tell);
  input.after(said);
  tell();
}

if (rules.length) {
  form.addEventListener("input", showWhatIsAsked);
  showWhatIsAsked();
}
for (const field of form.querySelectorAll("[data-most-words]")) {
  countAlong(field, words, Number(field.dataset.mostWords), form.dataset.words);
}
for (const field of form.querySelectorAll("[data-most-signs]")) {
  countAlong(field, signs, Number(field.dataset.mostSigns), form.dataset.signs);
}
