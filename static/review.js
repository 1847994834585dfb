// One review by keyboard: digits score the next criterion, s saves. Only while the review region
// has focus and nobody is typing in it, so that single keys never surprise (WCAG 2.1.4).
const region = document.querySelector("[data-review]");
const form = region?.querySelector("form[data-scores]");

if (form) {
  const criteria = [...form.querySelectorAll(".criterion")];
  const scored = (criterion) => criterion.querySelector("input:checked") !== null;
  const radios = (criterion) => [...criterion.querySelectorAll("input[type=radio]")];

  // The criterion a digit goes to: the one with focus, else the first without a score.
  const target = () =>
    criteria.find((one) => one.contains(document.activeElement)) ??
    criteria.find((one) => !scored(one));

  const mark = () => {
    const next = target();
    for (const one of criteria) one.classList.toggle("active", one === next);
  };

  const score = (digit) => {
    const criterion = target();
    if (!criterion) return false;
    const radio = radios(criterion)[(digit === 0 ? 10 : digit) - 1];
    if (!radio) return false;
    radio.checked = true;
    const following = criteria.slice(criteria.indexOf(criterion) + 1).find((one) => !scored(one));
    (following ? radios(following)[0] : form.querySelector("button.primary")).focus();
    mark();
    return true;
  };

  region.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea, select, input:not([type=radio])")) return;
    if (/^[0-9]$/.test(event.key)) {
      if (score(Number(event.key))) event.preventDefault();
    } else if (event.key === "s") {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("change", mark);
  region.addEventListener("focusin", mark);

  // The link "abstain" in the text opens what it leads to.
  const abstain = document.getElementById("abstain");
  for (const link of region.querySelectorAll('a[href="#abstain"]')) {
    link.addEventListener("click", () => {
      abstain.open = true;
    });
  }

  for (const hint of form.querySelectorAll("[data-keys]")) hint.hidden = false;
  if (!document.getElementById("errors")) region.focus({ preventScroll: true });
  mark();
}
