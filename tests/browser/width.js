// Whether the page is wider than what shows it.
() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [`${scrollWidth} of ${clientWidth} points`] : [];
}
