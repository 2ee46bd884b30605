// Whether the page is wider than what shows it, or holds something to scroll that keys do not reach.
() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? [`${scrollWidth} of ${clientWidth} points`] : [];
  for (const each of document.querySelectorAll("main *")) {
    const scrolls = each.scrollWidth > each.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
    if (scrolls && each.tabIndex < 0 && !each.querySelector("a, button, input, select, textarea, summary")) {
      found.push(`no key scrolls ${each.outerHTML.slice(0, 100)}`);
    }
  }
  return found;
}
