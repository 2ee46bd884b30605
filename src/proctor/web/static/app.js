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

// Back from an error: the browser still has what was typed.
function goBack() {
  const link = document.querySelector("[data-back]");
  link?.addEventListener("click", (event) => {
    if (history.length < 2) return;
    event.preventDefault();
    history.back();
  });
}

// Filters: choosing is enough.
function submitOnChoice() {
  for (const each of document.querySelectorAll("[data-submit]")) each.addEventListener("change", () => each.form.requestSubmit(document.getElementById(each.dataset.submit)));
}

// What changes by itself, such as runs that go on, is fetched again as often as the page says, while it is looked at.
function keepFresh() {
  const roots = [...document.querySelectorAll("[data-refresh]")];
  if (!roots.length) return;
  setInterval(async () => {
    if (document.hidden || roots.every((root) => root.contains(document.activeElement))) return;
    const answer = await fetch(location.href).catch(() => null);
    if (answer && !answer.ok && isRefusal(answer)) return loadAgain("This page has changed."); // it has failed: its page says why
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const left = roots.filter((root) => !root.contains(document.activeElement));
    for (const part of left.flatMap((root) => [...root.querySelectorAll("[data-fresh]")])) {
      const fresh = page.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
      if (!fresh) return loadAgain("This page has changed."); // it is over: other parts have changed as well
      part.replaceChildren(...fresh.childNodes);
      setTimes(part);
    }
  }, 1000 * Math.min(...roots.map((root) => Number(root.dataset.refresh))));
}

// What was typed stays: a page that would be loaded again while somebody works in it says so, and leaves it to them.
function isBeingTyped() {
  const fields = [...document.querySelectorAll("main input, main textarea, main select")];
  const changed = (field) => field.matches("[type=checkbox], [type=radio]") ? field.checked !== field.defaultChecked
    : field.matches("select") ? field.value !== ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value
    : field.type !== "hidden" && field.value !== field.defaultValue;
  return fields.some(changed) || Boolean(document.activeElement?.matches("main input, main textarea, main select"));
}

function loadAgain(why) {
  if (!isBeingTyped()) return location.reload();
  if (document.querySelector("[data-load-again]")) return;
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.dataset.loadAgain = "";
  notice.setAttribute("role", "status");
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show it as it is now";
  link.addEventListener("click", (event) => { event.preventDefault(); location.reload(); });
  notice.append(`${why} What you have typed is still here. `, link);
  document.querySelector("main").prepend(notice);
}

function isRefusal(answer) {
  return answer.status >= 400 && answer.status <= 500 && answer.headers.get("content-type")?.startsWith("text/html");
}

// Keys: j and k walk through rows, n and p through cases, / finds, ? tells; buttons and fields may have one of their own.
// Settings turns them all off: whoever speaks to the machine, or shakes, presses single keys without wanting to.
const keysOn = document.documentElement.dataset.keys !== "off";
const WAYS = { n: "next", p: "prev" };

function listenToKeys() {
  for (const hint of document.querySelectorAll("[data-keys-hint]")) hint.hidden = !keysOn;
  if (!keysOn) return;
  document.addEventListener("keydown", (event) => {
    if (event.target.matches?.("textarea") && event.key === "Escape") return event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("input, select, textarea, dialog")) return;
    const own = document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
    if (own) {
      event.preventDefault();
      if (own.matches("textarea, input")) own.focus();
      else if (!own.disabled && !own.form?.dataset.sent) own.click();
    } else if (event.key === "/") {
      const search = document.querySelector("main [type=search]") ?? document.querySelector("[data-key='/']");
      if (search) { event.preventDefault(); search.focus(); }
    } else if (event.key === "j" || event.key === "k") {
      walk(event.key === "j" ? 1 : -1);
    } else if (WAYS[event.key]) {
      const link = document.querySelector(`.around a[rel=${WAYS[event.key]}]`);
      if (link) link.click();
      else walk(event.key === "n" ? 1 : -1, "[data-stop]");
    } else if (event.key === "?") {
      tellKeys();
    }
  });
}

// A form that is on its way is not sent twice.
function sendOnce() {
  for (const form of document.querySelectorAll("form.labelling")) {
    form.addEventListener("submit", (event) => { if (form.dataset.sent) event.preventDefault(); else form.dataset.sent = "1"; });
  }
  addEventListener("pageshow", () => { for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent; });
}

// A link to hand on is marked as a whole by a click. A button copies the text it holds, else the reply that it stands
// beside, as it is shown; where a browser gives no clipboard, the reply is marked so that keys can copy it.
function offerCopies() {
  for (const field of document.querySelectorAll("[data-select]")) field.addEventListener("focus", () => field.select());
  for (const button of document.querySelectorAll("[data-copy]")) {
    const said = button.dataset.copy ? null : button.closest("section")?.querySelector(".said");
    if (!said && !(button.dataset.copy && navigator.clipboard)) continue;
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (said) {
        const meant = document.createRange();
        meant.selectNodeContents(said);
        getSelection().removeAllRanges();
        getSelection().addRange(meant);
      }
      const text = said ? said.innerText : button.dataset.copy;
      const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
      button.textContent = done ? "Copied" : said ? "Marked: copy it by its key" : "Not copied";
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
}

// To the next row; with `wanted`, to the next of these, wherever one is now.
function walk(step, wanted = "[data-row]") {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return document.querySelector(`.around a[rel=${step > 0 ? "next" : "prev"}]`)?.click();
  const here = rows.findIndex((row) => row.classList.contains("here"));
  const ahead = step > 0 ? rows.slice(here + 1) : rows.slice(0, Math.max(0, here)).reverse();
  const next = ahead.find((row) => row.matches(wanted));
  if (!next) return;
  rows[here]?.classList.remove("here");
  next.classList.add("here");
  (next.querySelector("a") ?? next.querySelector("button"))?.focus();
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
    const own = [...document.querySelectorAll("[data-shortcut][data-told]")].map((each) => [[each.dataset.shortcut], each.dataset.told]);
    const taken = own.flatMap(([keys]) => keys);
    for (const [keys, what] of [...own, ...KEYS.filter(([keys]) => !keys.some((key) => taken.includes(key)))]) {
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
goBack();
submitOnChoice();
keepFresh();
listenToKeys();
sendOnce();
offerCopies();
for (const button of document.querySelectorAll("[data-tell-keys]")) {
  button.hidden = !keysOn;
  button.addEventListener("click", tellKeys);
}
