// What does not show that it has the focus: by an outline of its own, or around the row that it stands for. Where the
// last focus came from a key, one that a script sets is shown like it.
() => {
  const outlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
  };
  const shown = (element) => {
    for (let around = element; around && around !== document.body; around = around.parentElement) {
      if (outlined(around)) return true;
      if (around.matches("tr")) return false;
    }
    return false;
  };
  const wrong = [];
  for (const each of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")) {
    each.focus();
    if (document.activeElement === each && !shown(each)) wrong.push(each.outerHTML.slice(0, 120));
  }
  return wrong;
}
