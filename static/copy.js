// A button behind everything that is there to be copied; without a clipboard there is none.
for (const shown of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small copy";
  button.textContent = shown.dataset.copy;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(shown.textContent.trim());
    button.textContent = shown.dataset.copied;
    setTimeout(() => (button.textContent = shown.dataset.copy), 3000);
  });
  shown.after(button);
}
