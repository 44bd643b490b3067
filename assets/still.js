// How a picture stands in its frame: it shrinks to its column, or scrolls there.
// A legend's text goes on below itself where the page is narrower than it is; returns its number of lines.
const wrapped = (text, room) => {
  if (text.dataset.said === undefined && text.children.length) return 1;
  text.textContent = text.dataset.said ??= text.textContent;
  const x = text.getAttribute('x'), least = Math.max(room - Number(x), 60);
  if (text.getComputedTextLength() <= least) return 1;
  const parts = text.dataset.said.split(' ');
  text.textContent = '';
  const begin = () => {
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'tspan');
    line.setAttribute('x', x);
    if (text.children.length) line.setAttribute('dy', 15);
    return text.appendChild(line);
  };
  let line = begin();
  parts.forEach((word) => {
    const before = line.textContent;
    line.textContent = before ? `${before} ${word}` : word;
    if (before && line.getComputedTextLength() > least) {
      line.textContent = `${before} `;
      line = begin();
      line.textContent = word;
    }
  });
  return text.children.length;
};
const flow = (svg, room) => {
  const row = Number(svg.dataset.row), gap = Number(svg.dataset.gap);
  let x = 2, y = 0, far = 0, tall = row;
  svg.querySelectorAll('.item').forEach((item) => {
    const said = item.querySelector('text'), more = 15 * (wrapped(said, room - 4) - 1);
    const text = said.getBBox(), wide = Math.max(text.x + text.width, 0);
    if (x > 2 && x + wide > room) { x = 2; y += tall; tall = row; }
    item.setAttribute('transform', `translate(${x} ${y})`);
    x += wide + gap;
    far = Math.max(far, x - gap);
    tall = Math.max(tall, row + more);
  });
  svg.setAttribute('width', far + 2); svg.setAttribute('height', y + tall);
  svg.setAttribute('viewBox', `0 0 ${far + 2} ${y + tall}`);
};
// Trees side by side: the path to a node under the mouse lights in all of them.
const tell = (place) => document.dispatchEvent(new CustomEvent('penumbra-place', { detail: place }));
const lightAlike = (frame, svg) => {
  const nodes = svg.querySelectorAll('[data-place]');
  document.removeEventListener('penumbra-place', frame.alight);
  if (!nodes.length) return;
  frame.alight = ({ detail }) => nodes.forEach((node) => {
    const place = node.dataset.place;
    node.classList.toggle('on-path', detail !== null && (detail === place || detail.startsWith(`${place}.`)));
  });
  document.addEventListener('penumbra-place', frame.alight);
  nodes.forEach((node) => {
    node.onmouseenter = () => tell(node.dataset.place);
    node.onmouseleave = () => tell(null);
  });
};
// A test of the table: its differences fold by fold stand beside it while it is pointed at, pressed or has the focus.
const openTests = (frame, svg) => {
  const tests = [...svg.querySelectorAll('.tested')];
  frame.closeTip?.();
  if (!tests.length) return;
  let tip = frame.parentElement.querySelector('.tip-box');
  if (!tip) {
    tip = frame.parentElement.appendChild(document.createElement('div'));
    tip.className = 'tip-box';
    tip.setAttribute('popover', 'manual');
    tip.setAttribute('aria-hidden', 'true');  // the label of the test says all of it
  }
  let shown = null, leaving = null;
  const stand = () => {
    if (!shown) return;
    const at = shown.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const below = at.bottom + 4, above = at.top - own.height - 4;
    tip.style.left = `${Math.max(4, Math.min(at.left, document.documentElement.clientWidth - own.width - 4))}px`;
    tip.style.top = `${below + own.height <= innerHeight || above < 0 ? below : above}px`;
  };
  const close = () => {
    clearTimeout(leaving);
    shown = null;
    if (tip.matches(':popover-open')) tip.hidePopover();
    window.removeEventListener('scroll', stand, true);
  };
  const open = (test) => {
    clearTimeout(leaving);
    if (shown === test) return;
    close();
    const body = test.querySelector('.tip'), wide = body.dataset.width, tall = body.dataset.height;
    tip.innerHTML = `<svg class="penumbra" data-theme="${svg.dataset.theme}" width="${wide}" height="${tall}">${body.innerHTML}</svg>`;
    shown = test;
    tip.showPopover();
    stand();
    window.addEventListener('scroll', stand, true);
  };
  const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(() => { if (!shown?.matches(':focus')) close(); }, 200);
  };
  tip.onpointerenter = () => clearTimeout(leaving);
  tip.onpointerleave = leave;
  frame.closeTip = close;
  const at = (row, column) => tests.find((test) => Number(test.dataset.row) === row && Number(test.dataset.column) === column);
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  tests.forEach((test) => {
    test.onpointerenter = () => open(test);
    test.onpointerleave = leave;
    test.onclick = () => { test.focus({ preventScroll: true }); open(test); };
    test.onfocus = () => {
      tests.forEach((each) => each.setAttribute('tabindex', each === test ? '0' : '-1'));
      open(test);
    };
    test.onblur = close;
    test.onkeydown = (event) => {
      if (event.key === 'Escape') close();
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); open(test); }
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      let row = Number(test.dataset.row), column = Number(test.dataset.column);
      for (let k = 0; k < 40; k += 1) {  // a variant without zones has gaps in its row
        row += step[0]; column += step[1];
        if (at(row, column)) { at(row, column).focus(); return; }
      }
    };
  });
};
// Draws a picture in a frame; returns how to leave it.
const standIn = (frame, drawn) => {
  const paper = frame.querySelector('.paper');
  if (frame.drawn !== drawn) { paper.innerHTML = drawn; frame.drawn = drawn; }
  const svg = paper.querySelector('svg');
  if (!svg) return () => {};
  svg.dataset.theme = themeOf(frame);
  const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
  svg.querySelectorAll('.node[role=button]').forEach((node) => {
    node.setAttribute('role', 'img');
    ['aria-pressed', 'tabindex'].forEach((name) => node.removeAttribute(name));  // nothing to press, so no stop for Tab
  });
  lightAlike(frame, svg);
  openTests(frame, svg);
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
      // The whole lit path where it has room, else its end: the answer must not stand out of sight.
      const lit = [...svg.querySelectorAll('.node')].filter((node) => node.querySelector('.frame.picked'));
      const spans = (lit.length ? lit : [first]).map((node) => node.getBoundingClientRect());
      const end = spans.reduce((a, b) => (b.bottom > a.bottom ? b : a));
      let left = Math.min(...spans.map((span) => span.left)), right = Math.max(...spans.map((span) => span.right));
      if (right - left > room) [left, right] = [end.left, end.right];
      const b = frame.getBoundingClientRect();
      frame.scrollLeft += (left + right) / 2 - b.left - b.width / 2;
    }
    const scrolls = { tabindex: '0', role: 'region', 'aria-label': `${svg.getAttribute('aria-label')}; scrolls` };
    Object.entries(scrolls).forEach(([name, value]) => {
      if (wide * zoom > room + 1) frame.setAttribute(name, value); else frame.removeAttribute(name);
    });
  };
  frame.watch?.disconnect();  // a rerun calls this again without the clean-up; an old watcher would fit the old picture
  const watch = (frame.watch = new ResizeObserver(fit));
  watch.observe(frame);
  fit();
  return () => { watch.disconnect(); frame.closeTip?.(); document.removeEventListener('penumbra-place', frame.alight); };
};
