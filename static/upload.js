// Files of a form: sent one by one as soon as they are chosen, with progress; what fails can be
// tried again and leaves what was there before as it is.
for (const field of document.querySelectorAll("[data-upload]")) {
  const input = field.querySelector("input[type=file]");
  const list = field.querySelector("ul");
  const form = input.form;

  input.addEventListener("change", () => {
    for (const file of [...input.files]) send(file);
    input.value = ""; // or the form would send them a second time
  });

  function send(file) {
    const line = document.createElement("li");
    const name = document.createElement("span");
    const bar = document.createElement("progress");
    name.textContent = file.name;
    name.dir = "auto";
    bar.max = file.size || 1;
    bar.value = 0;
    bar.setAttribute("aria-label", file.name);
    line.append(name, bar);
    list.append(line);

    const body = new FormData();
    body.append("submit_key", form.elements.submit_key.value);
    body.append("draft", form.elements.draft.value);
    body.append("late", form.elements.late?.value ?? "");
    body.append("field", field.dataset.upload);
    body.append("website", "");
    body.append("file", file);
    const request = new XMLHttpRequest();
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded }) => (bar.value = loaded));
    request.addEventListener("load", () => {
      if (request.status === 200) kept(line, request.response);
      else failed(line, file, request.response?.error ?? field.dataset.failed);
    });
    request.addEventListener("error", () => failed(line, file, field.dataset.failed));
    request.open("POST", `${location.pathname}/files`);
    request.send(body);
  }

  function kept(line, { id, filename, size }) {
    const label = document.createElement("label");
    const tick = document.createElement("input");
    const name = document.createElement("span");
    label.className = "check";
    tick.type = "checkbox";
    tick.name = input.dataset.name;
    tick.value = id;
    tick.checked = true;
    name.dir = "auto";
    name.textContent = filename;
    const much = document.createElement("small");
    much.textContent = size;
    name.append(much);
    label.append(tick, name);
    line.replaceChildren(label);
    tick.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function failed(line, file, why) {
    const said = document.createElement("p");
    said.className = "error";
    said.setAttribute("role", "alert");
    said.textContent = `${file.name}: ${why}`;
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button small";
    again.textContent = field.dataset.again;
    again.addEventListener("click", () => {
      line.remove();
      send(file);
    });
    line.replaceChildren(said, again);
  }
}
