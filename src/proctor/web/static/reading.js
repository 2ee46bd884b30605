// What the reading pages do beyond links: keys between cases, both ends of a contradiction, a run as it goes on.
"use strict";

// n and p go to the next and the previous case that did not pass.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  const way = { n: "next", p: "prev" }[event.key];
  if (way) document.querySelector(`.around a[rel=${way}]`)?.click();
});

// A contradiction lights up whole, whichever part of its line is pointed at.
for (const wire of document.querySelectorAll("[data-bond]")) {
  const light = (on) => {
    for (const part of document.querySelectorAll(`[data-bond="${wire.dataset.bond}"]`)) part.classList.toggle("lit", on);
  };
  wire.addEventListener("pointerenter", () => light(true));
  wire.addEventListener("pointerleave", () => light(false));
}

// A run that goes on: the server sends the parts of the page that changed, and says when it is over.
const live = document.querySelector("[data-live]");
if (live?.dataset.live) {
  const source = new EventSource(live.dataset.live);
  source.addEventListener("parts", (event) => {
    for (const [name, html] of Object.entries(JSON.parse(event.data))) {
      const part = live.querySelector(`[data-part="${name}"]`);
      if (!part || part.contains(document.activeElement)) continue; // a button that is about to be pressed stays
      part.innerHTML = html;
      setTimes(part);
    }
  });
  source.addEventListener("over", () => {
    source.close();
    location.reload();
  });
}
