// What a reader who does not see the page would miss: names of links, buttons, fields and pictures; ids that are not unique.
() => {
  const found = [];
  const named = (each) => (each.getAttribute("aria-label") || each.textContent || each.title || "").trim();
  for (const each of document.querySelectorAll("a[href]:not([aria-hidden] *), button")) {
    if (!named(each)) found.push(`without a name: ${each.outerHTML.slice(0, 120)}`);
  }
  for (const each of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!each.labels.length && !each.getAttribute("aria-label")) found.push(`without a label: ${each.outerHTML.slice(0, 120)}`);
  }
  for (const each of document.querySelectorAll("svg:not(svg svg)")) {
    if (!each.closest('[aria-hidden="true"]') && !each.getAttribute("aria-label")) found.push(`without a text: ${each.outerHTML.slice(0, 120)}`);
  }
  for (const each of document.querySelectorAll("th")) {
    if (!each.textContent.trim()) found.push(`an empty heading in ${each.closest("table").className}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of new Set(ids)) if (ids.filter((each) => each === id).length > 1) found.push(`twice: #${id}`);
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((each) => Number(each.tagName[1]));
  levels.forEach((level, place) => { if (place && level > levels[place - 1] + 1) found.push(`a heading of level ${level} after one of level ${levels[place - 1]}`); });
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1) found.push("the first heading is not the only one of level 1");
  for (const landmark of ["main", "header", "footer"]) {
    if (document.querySelectorAll(`body > ${landmark}`).length !== 1) found.push(`not one ${landmark}`);
  }
  const navs = [...document.querySelectorAll("nav, [role=region]")].map((each) => each.getAttribute("aria-label"));
  if (navs.some((each) => !each) || new Set(navs).size !== navs.length) found.push(`parts that sound alike: ${navs}`);
  for (const each of document.querySelectorAll("[aria-describedby]")) {
    for (const id of each.getAttribute("aria-describedby").split(" ")) if (!document.getElementById(id)) found.push(`described by nothing: ${id}`);
  }
  for (const each of document.querySelectorAll("fieldset")) if (!each.querySelector("legend")) found.push("a group without a legend");
  for (const each of document.querySelectorAll("[tabindex]")) if (each.tabIndex > 0) found.push(`out of turn: ${each.outerHTML.slice(0, 80)}`);
  if (!document.documentElement.lang || !document.title.trim()) found.push("no language, or no title");
  return found;
}
