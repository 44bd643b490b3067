// A picture that stands still: it shrinks to its column, or scrolls in its frame.
const flow = (svg, room) => {
  const row = Number(svg.dataset.row), gap = Number(svg.dataset.gap);
  let x = 2, y = 0, far = 0;
  svg.querySelectorAll('.item').forEach((item) => {
    const text = item.querySelector('text').getBBox(), wide = Math.max(text.x + text.width, 0);
    if (x > 2 && x + wide > room) { x = 2; y += row; }
    item.setAttribute('transform', `translate(${x} ${y})`);
    x += wide + gap;
    far = Math.max(far, x - gap);
  });
  svg.setAttribute('width', far + 2); svg.setAttribute('height', y + row);
  svg.setAttribute('viewBox', `0 0 ${far + 2} ${y + row}`);
};
export default function ({ data, parentElement }) {
  const frame = parentElement.querySelector('.frame'), paper = frame.querySelector('.paper');
  if (frame.drawn !== data.svg) { paper.innerHTML = data.svg; frame.drawn = data.svg; }
  const svg = paper.querySelector('svg');
  if (!svg) return;
  svg.dataset.theme = themeOf(frame);
  const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
  svg.querySelectorAll('[role=button]').forEach((node) => {
    node.setAttribute('role', 'img');
    node.removeAttribute('aria-pressed');
  });
  let seen = false;
  const fit = () => {
    const room = frame.clientWidth;
    if (!room) return;
    if (svg.classList.contains('flow')) { flow(svg, room); return; }
    const zoom = room >= wide ? 1 : room / wide >= 0.72 ? room / wide : 1;
    svg.setAttribute('width', wide * zoom); svg.setAttribute('height', tall * zoom);
    const first = svg.querySelector('.node');
    if (!seen && first) {
      seen = true;
      const a = first.getBoundingClientRect(), b = frame.getBoundingClientRect();
      frame.scrollLeft += a.left + a.width / 2 - b.left - b.width / 2;
    }
    if (wide * zoom > room + 1) frame.setAttribute('tabindex', '0'); else frame.removeAttribute('tabindex');
  };
  frame.watch?.disconnect();  // a rerun calls this again without the clean-up; an old watcher would fit the old picture
  const watch = (frame.watch = new ResizeObserver(fit));
  watch.observe(frame);
  fit();
  return () => watch.disconnect();
}
