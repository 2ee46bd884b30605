// What the reading pages do beyond links: both ends of a contradiction, a run as it goes on.
"use strict";

// A contradiction lights up whole, whichever part of its line is pointed at.
for (const wire of document.querySelectorAll("[data-bond]")) {
  const light = (on) => {
    for (const part of document.querySelectorAll(`[data-bond="${wire.dataset.bond}"]`)) part.classList.toggle("lit", on);
  };
  wire.addEventListener("pointerenter", () => light(true));
  wire.addEventListener("pointerleave", () => light(false));
}

// A run that goes on: the server says whenever it moved; counts are set at once, the other parts are fetched again.
const PAUSE = 2000;
const SAID = 300; // milliseconds in which the end is announced before the page is loaded again
const MOVING = ["queued", "running"];
const live = document.querySelector("[data-live]");

// As say_time_left in proctor/reports/progress.py: between two words of the server time goes by here.
function shortly(seconds) {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

const OVERDUE = 1; // seconds after which an estimate that has run out is no longer told
let ending = null;
function setLeft() {
  const seconds = ending === null ? null : (ending.at - performance.now()) / 1000;
  const known = seconds !== null && seconds >= -OVERDUE;
  live.querySelector('[data-now="left"]').textContent = known ? `${ending.most ? "at most " : ""}${seconds < 1 ? "less than a second" : shortly(seconds)} left` : "";
}

function setCounts(told) {
  const now = (name) => live.querySelector(`[data-now="${name}"]`);
  const bar = live.querySelector("progress");
  const anew = told.done > Number(live.dataset.done ?? bar.value);
  live.dataset.done = told.done;
  if (anew) for (const each of live.querySelectorAll('[data-now="new"]')) each.hidden = false;
  bar.max = told.steps.planned;
  bar.value = told.steps.done;
  now("done").textContent = told.done.toLocaleString("en");
  if (told.turns) now("turns").textContent = `${told.turns.toLocaleString("en")} ${told.turns === 1 ? "turn" : "turns"}`;
  if (told.per_second) now("pace").textContent = `${told.per_second.toLocaleString("en", { maximumFractionDigits: told.per_second < 10 ? 1 : 0 })} a second`;
  ending = told.seconds_left === null ? null : { at: performance.now() + 1000 * told.seconds_left, most: Boolean(told.next_look) };
  setLeft();
  const replies = told.replies;
  if (replies?.asked) now("judged").textContent = `${replies.judged.toLocaleString("en")} of ${replies.asked.toLocaleString("en")} ${replies.asked === 1 ? "reply" : "replies"} judged`;
}

async function setParts() {
  const { done, ...parts } = await send(`${live.dataset.live}/parts${location.search}`);
  for (const [name, html] of Object.entries(parts)) {
    const part = live.querySelector(`[data-part="${name}"]`);
    if (part && name === "rows") setRows(part, html);
    if (!part || name === "rows" || part.contains(document.activeElement)) continue; // a button that is about to be pressed stays
    const open = [...part.querySelectorAll("details")].map((each) => each.open);
    part.innerHTML = html;
    part.querySelectorAll("details").forEach((each, place) => { each.open = open[place] ?? each.open; });
    setTimes(part);
  }
  countOn();
  return done;
}

// Rows keep their places: only what has changed in one is put there, and never under somebody's finger.
function setRows(body, html) {
  const fresh = document.createElement("tbody");
  fresh.innerHTML = html;
  [...fresh.children].forEach((row, place) => {
    const shown = body.children[place];
    if (!shown) body.append(row.cloneNode(true));
    else if (shown.innerHTML !== row.innerHTML && !shown.contains(document.activeElement)) {
      row.className = shown.className;
      shown.replaceWith(row.cloneNode(true));
    }
  });
}

// How long it has run: the server says it with every word, and it counts on in between, never back.
let since = Infinity;
function countOn() {
  const shown = live.querySelector("[data-spent]");
  if (!shown || live.dataset.lost) return;
  since = Math.min(since, performance.now() - 1000 * Number(shown.dataset.spent));
  shown.textContent = shortly(Math.floor((performance.now() - since) / 1000));
}

// The address of this page leads nowhere else: it is loaded again, with its table in sight.
function showNew(event) {
  event.preventDefault();
  location.hash = "results";
  location.reload();
}

// What is told to those who listen: each quarter, and the end.
let quarter = 0;
function announce(told) {
  const now = Math.floor((4 * told.done) / told.planned);
  const over = !MOVING.includes(told.status);
  if (now <= quarter && !over) return;
  quarter = now;
  const far = `${told.done.toLocaleString("en")} of ${told.planned.toLocaleString("en")} attempts played`;
  live.querySelector('[data-now="announced"]').textContent = over ? `The run is ${told.status}: ${far}.` : `${far}.`;
}

// Without its server a page knows nothing: it says so, stands still, and comes back by itself.
function setLost(lost) {
  if (lost === Boolean(live.dataset.lost)) return;
  live.dataset.lost = lost ? "1" : "";
  live.querySelector('[data-now="lost"]').textContent = lost ? "Connection lost; trying again …" : "";
  if (!lost) return;
  ending = null;
  for (const name of ["pace", "left"]) live.querySelector(`[data-now="${name}"]`).textContent = "";
}

function follow() {
  setInterval(countOn, 1000);
  setInterval(setLeft, 1000);
  for (const each of live.querySelectorAll('[data-now="new"]')) each.addEventListener("click", showNew);
  const bar = live.querySelector("progress");
  quarter = Math.floor((4 * bar.value) / bar.max);
  listen();
}

// Parts may be older than the word that asked for them (they are counted at most once a second, and a request can
// fail): they are asked for again until they are as new as the counts, however long the run is silent then.
let fetched = 0;
let waiting = null;
let done = 0;
function askForParts() {
  waiting ??= setTimeout(async () => {
    waiting = null;
    fetched = Date.now();
    const shown = await setParts().catch(() => undefined);
    if (!(shown >= done)) askForParts();
  }, Math.max(0, fetched + PAUSE - Date.now()));
}

function listen() {
  const source = new EventSource(`${live.dataset.live}/events`);
  source.addEventListener("open", () => setLost(false));
  source.addEventListener("error", () => {
    setLost(true);
    if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself
    source.close();
    setTimeout(listen, PAUSE);
  });
  source.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    announce(told);
    if (told.status !== live.dataset.status && !MOVING.includes(told.status)) {
      source.close();
      setTimeout(() => loadAgain(`The run is ${told.status}.`), SAID);
      return;
    }
    live.dataset.status = told.status;
    setCounts(told);
    done = told.done;
    askForParts();
  });
}

if (live) follow();
