// Whether what has the focus can be seen to have it: an outline of its own, or around the row that it stands for.
() => {
  const each = document.activeElement;
  if (!each || each === document.body) return null;
  const outlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
  };
  for (let around = each; around && around !== document.body; around = around.parentElement) {
    if (outlined(around)) return "";
    if (around.matches("tr")) break;
  }
  return each.outerHTML.slice(0, 120);
}
