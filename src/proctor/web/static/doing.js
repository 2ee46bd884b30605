// What the doing pages do beyond their forms, all of which work without it.
"use strict";

// A form that estimates: whenever something is chosen, the parts that depend on it are fetched and put in place, and
// the address follows, so that it can be kept.
function followChoices(form) {
  let latest = 0;
  const look = async () => {
    const mine = ++latest;
    form.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== latest) return;
      for (const part of form.querySelectorAll("[data-fresh]")) {
        const fresh = page.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
        if (fresh && !part.contains(document.activeElement)) part.replaceChildren(...fresh.childNodes);
      }
      history.replaceState(null, "", answer.url);
    } catch {
      // the server is away; the button is still there
    } finally {
      if (mine === latest) form.removeAttribute("aria-busy");
    }
  };
  form.addEventListener("change", look);
  if (!form.querySelector(".taken, .trouble")) look();
}

// A button that takes its time says so, and is pressed once.
function sayBusy(form) {
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.dataset.busy) return;
    setTimeout(() => { button.disabled = true; button.textContent = button.dataset.busy; });
  });
}

// What was typed and not kept is not left without a word, unless a link says that it throws it away.
function askBeforeLeaving(form) {
  let typed = false;
  const forget = () => { typed = false; };
  form.addEventListener("input", () => { typed = true; });
  form.addEventListener("submit", forget);
  for (const link of document.querySelectorAll("[data-leave]")) link.addEventListener("click", forget);
  addEventListener("pageshow", forget);
  addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
}

for (const form of document.querySelectorAll("form[data-look]")) followChoices(form);
for (const form of document.querySelectorAll("form[data-quiet]")) sayBusy(form);
for (const form of document.querySelectorAll("form[data-typed]")) askBeforeLeaving(form);
