// A form of several pages, one at a time. Without this script they stand below each other.
const turns = document.querySelector("[data-pages]");
if (turns) {
  const form = turns.closest("form");
  const most = Number(turns.dataset.pages);
  const sections = [...form.querySelectorAll("[data-page]")];
  const said = turns.querySelector("p");
  const submit = [...form.querySelectorAll('.action-bar [value="submit"]')];
  let shown = 1;

  const pageOf = (target) => Number(target?.closest("[data-page]")?.dataset.page ?? 0);
  const isEmpty = (page) => sections.every((one) => Number(one.dataset.page) !== page || one.hidden);

  function turnTo(page) {
    shown = page;
    for (const one of sections) one.classList.toggle("off-page", Number(one.dataset.page) !== page);
    said.textContent = turns.dataset.phrase.replace("{n}", page).replace("{most}", most);
    turns.querySelector('[data-turn="-1"]').disabled = page === 1;
    turns.querySelector('[data-turn="1"]').disabled = page === most;
    for (const button of submit) button.classList.toggle("off-page", page !== most);
  }

  function turn(step) {
    let page = shown + step;
    while (page > 1 && page < most && isEmpty(page)) page += step;
    turnTo(page);
    const first = sections.find((one) => Number(one.dataset.page) === page && !one.hidden);
    const heading = first?.querySelector("h2");
    if (heading) {
      heading.tabIndex = -1;
      heading.focus();
      heading.scrollIntoView({ block: "start" });
    }
  }

  turns.addEventListener("click", ({ target }) => {
    const step = Number(target.dataset.turn ?? 0);
    if (step) turn(step);
  });
  // What leads to a field or a section on another page turns to it first.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.('a[href^="#"]');
    const page = link && pageOf(document.getElementById(link.hash.slice(1)));
    if (page) turnTo(page);
  });
  turns.hidden = false;
  turnTo(pageOf(form.querySelector('[aria-invalid="true"]')) || pageOf(form.querySelector("[autofocus]")) || 1);
}
