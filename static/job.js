// How far a job is, asked anew every second and a half until it is over.
const PAUSE = 1500;

async function look() {
  const shown = document.getElementById("job");
  if (shown.dataset.alive !== "yes") return;
  if (!document.hidden && !shown.contains(document.activeElement)) {
    try {
      const answer = await fetch(location.pathname, { headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("job");
      if (answer.ok && fresh) shown.replaceWith(document.adoptNode(fresh));
    } catch {
      // Offline: what is shown stays, and the next look may succeed.
    }
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
