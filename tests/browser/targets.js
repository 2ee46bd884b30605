// What is too small to be hit: WCAG 2.2 AA asks for 24 by 24 pixels, or as much room around it. Links in a line of text are free.
() => {
  const shown = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }) && !each.closest(".unseen, .skip, svg"));
  const inText = (each) => {
    const around = each.parentElement.cloneNode(true);
    for (const own of around.querySelectorAll("a, button, input, select, summary")) own.remove();
    return each.tagName === "A" && around.textContent.trim() !== "" && getComputedStyle(each).display === "inline";
  };
  // A link may reach further than its words: over its whole row, or its label.
  const box = (each) => {
    const label = each.closest("label");
    const row = each.matches("td a") && getComputedStyle(each, "::after").position === "absolute" ? each.closest("tr") : null;
    return (row ?? label ?? each).getBoundingClientRect();
  };
  const boxes = shown.map((each) => ({ each, box: box(each) }));
  const small = boxes.filter(({ each, box }) => (box.width < 24 || box.height < 24) && !inText(each));
  const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
  const found = [];
  for (const { each, box: own } of small) {
    const [x, y] = middle(own);
    const near = boxes.find(({ each: other, box: its }) => other !== each && !other.contains(each) && !each.contains(other) &&
      Math.max(its.left - x, x - its.right, 0) ** 2 + Math.max(its.top - y, y - its.bottom, 0) ** 2 < 12 ** 2);
    if (near) found.push(`${Math.round(own.width)} × ${Math.round(own.height)} ${each.outerHTML.slice(0, 80)} near ${near.each.outerHTML.slice(0, 60)}`);
  }
  return found;
}
