// What pages do beyond links and forms. Every page reads and works without it, except that nothing moves by itself.
"use strict";

const formToken = document.querySelector('meta[name="form-token"]')?.content ?? "";

// Call the API as this browser's session: send("/api/runs/x/pause", {method: "POST"}).
async function send(address, options = {}) {
  const headers = { accept: "application/json", "x-form-token": formToken, ...(options.headers ?? {}) };
  const answer = await fetch(address, { ...options, headers });
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error ?? answer.statusText);
  return said;
}

// Times: the reader's own zone on hover.
function setTimes(root = document) {
  for (const each of root.querySelectorAll("time[datetime]")) {
    each.title = new Date(each.dateTime).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
  }
}

// Light and dark: a cookie, so that the server sends the right page at once.
function offerThemes() {
  const button = document.querySelector("[data-theme-switch]");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `proctor_theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
  });
}

// Filters: choosing is enough.
function submitOnChoice() {
  for (const each of document.querySelectorAll("[data-submit]")) each.addEventListener("change", () => each.form.requestSubmit());
}

// What changes by itself, such as runs that go on, is fetched anew as often as the page says, while it is looked at.
function keepFresh() {
  const root = document.querySelector("[data-refresh]");
  if (!root) return;
  setInterval(async () => {
    if (document.hidden || root.contains(document.activeElement)) return;
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of root.querySelectorAll("[data-fresh]")) {
      const fresh = page.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
      if (!fresh) return location.reload(); // it is over: other parts have changed as well
      part.replaceChildren(...fresh.childNodes);
      setTimes(part);
    }
  }, 1000 * Number(root.dataset.refresh));
}

// Keys: j and k walk through rows, Enter opens, / finds, ? tells.
function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
    if (event.key === "/") {
      const search = document.querySelector("main [type=search]") ?? document.querySelector("[data-key='/']");
      if (search) { event.preventDefault(); search.focus(); }
    } else if (event.key === "j" || event.key === "k") {
      walk(event.key === "j" ? 1 : -1);
    } else if (event.key === "?") {
      tellKeys();
    }
  });
}

function walk(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return document.querySelector(`.around a[rel=${step > 0 ? "next" : "prev"}]`)?.click();
  const here = rows.findIndex((row) => row.classList.contains("here"));
  rows[here]?.classList.remove("here");
  const next = rows[Math.max(0, Math.min(rows.length - 1, here + step))];
  next.classList.add("here");
  next.querySelector("a")?.focus();
}

const KEYS = [
  [["j", "k"], "next and previous row; on a page without rows, case"],
  [["Enter"], "open it"],
  [["n", "p"], "next and previous case that did not pass, or that changed"],
  [["/"], "search"],
  [["?"], "these keys"],
  [["Esc"], "close"],
];

function made(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}

function tellKeys() {
  let box = document.querySelector("dialog.keys-told");
  if (!box) {
    box = document.createElement("dialog");
    box.className = "keys-told";
    box.setAttribute("aria-label", "Keys");
    const list = document.createElement("dl");
    list.className = "keys";
    for (const [keys, what] of KEYS) {
      const term = document.createElement("dt");
      for (const key of keys) term.append(made("kbd", key));
      list.append(term, made("dd", what));
    }
    box.append(made("h2", "Keys"), list);
    box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
    document.body.append(box);
  }
  box.showModal();
}

setTimes();
offerThemes();
submitOnChoice();
keepFresh();
listenToKeys();
