// A list put in another order by dragging; by keyboard its buttons do the same.
const list = document.querySelector("[data-order]");
const order = document.getElementById("order");
let dragged;

for (const line of list?.children ?? []) {
  line.draggable = true;
  line.addEventListener("dragstart", (event) => {
    dragged = line;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", line.dataset.id);
    line.classList.add("dragged");
  });
  line.addEventListener("dragend", () => line.classList.remove("dragged"));
}

list?.addEventListener("dragover", (event) => {
  if (!dragged) return;
  event.preventDefault();
  const over = event.target.closest("[data-order] > li");
  if (!over || over === dragged) return;
  const box = over.getBoundingClientRect();
  over[event.clientY < box.top + box.height / 2 ? "before" : "after"](dragged);
});

list?.addEventListener("drop", (event) => {
  if (!dragged) return;
  event.preventDefault();
  order.elements.id.value = dragged.dataset.id;
  order.elements.at.value = [...list.children].indexOf(dragged);
  order.submit();
});
