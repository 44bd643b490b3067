// Tells from the page's own background whether it is light or dark.
const themeOf = (element) => {
  const colour = getComputedStyle(element).getPropertyValue('--st-background-color').trim();
  const hex = /^#([0-9a-f]{6})/i.exec(colour);
  const rgb = /^rgba?\(\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)/.exec(colour);
  const pairs = [0, 2, 4];
  const parts = hex ? pairs.map((i) => parseInt(hex[1].slice(i, i + 2), 16)) : rgb ? rgb.slice(1, 4).map(Number) : null;
  if (!parts) return 'auto';
  return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128 ? 'dark' : 'light';
};
