// Texts whose colour is too close to what is behind them: WCAG 2 AA asks for 4.5, for large ones 3.
() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const parsed = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { colour: [red, green, blue], alpha: alpha / 255 };
  };
  const over = (top, below) => top.colour.map((each, place) => each * top.alpha + below[place] * (1 - top.alpha));
  const light = (colour) => {
    const [red, green, blue] = colour.map((each) => {
      const share = each / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.unshift(parsed(getComputedStyle(each).backgroundColor));
    return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const found = [];
  const compare = (element, words, text, below, needed) => {
    const [high, low] = [light(over(text, below)), light(below)].sort((one, other) => other - one);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < needed) found.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute("class")}: ${words.trim().slice(0, 40)}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest("select, svg, title, .unseen, .skip")) continue;
    const style = getComputedStyle(element);
    let opacity = 1;
    for (let each = element; each; each = each.parentElement) opacity *= Number(getComputedStyle(each).opacity);
    const below = behind(element);
    const text = parsed(style.color);
    const size = Number.parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    compare(element, node.textContent, { colour: text.colour, alpha: text.alpha * opacity }, below, needed);
  }
  for (const element of document.querySelectorAll("svg text")) {
    if (!element.textContent.trim() || !element.checkVisibility()) continue;
    compare(element, element.textContent, parsed(getComputedStyle(element).fill), behind(element), 4.5);
  }
  for (const element of document.querySelectorAll("[placeholder]:placeholder-shown")) {
    if (!element.checkVisibility()) continue;
    compare(element, element.placeholder, parsed(getComputedStyle(element, "::placeholder").color), behind(element), 4.5);
  }
  return [...new Set(found)];
}
