// Edges that tell where a field or a button is, and drawn intervals: WCAG 2 AA asks for 3 to 1 against what is behind them.
() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) => {
      const share = each / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const ratio = (colour) => {
    const [high, low] = [light(colour), paper].sort((one, other) => other - one);
    return (high + 0.05) / (low + 0.05);
  };
  const found = new Set();
  const look = (each, colour) => { if (ratio(colour) < 3) found.add(`${ratio(colour).toFixed(2)} ${each.outerHTML.slice(0, 80)}`); };
  for (const each of document.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea, button:not(.quiet, .link, :disabled)")) {
    if (each.checkVisibility()) look(each, getComputedStyle(each).borderTopColor);
  }
  for (const each of document.querySelectorAll("svg .range, svg .value")) {
    if (!each.checkVisibility()) continue;
    const { stroke, fill } = getComputedStyle(each);
    look(each, each.matches(".range") && stroke !== "none" ? stroke : fill === "none" || each.closest(".one-passes, .left_out") ? stroke : fill);
  }
  return [...found];
}
