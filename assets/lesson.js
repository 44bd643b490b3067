// A lesson's figure: marks are dragged sideways or moved by arrow keys; the page then draws the figure again.
export default function ({ data, parentElement, setTriggerValue }) {
  const frame = parentElement.querySelector('.frame'), paper = frame.querySelector('.paper');
  const state = (frame.state ??= { drawn: null, held: null, sent: 0, last: null });
  const focused = () => (parentElement.activeElement || document.activeElement)?.dataset?.name;
  const find = (name) => [...paper.querySelectorAll('.drag')].find((mark) => mark.dataset.name === name);
  const number = (mark, name) => Number(mark.getAttribute(`aria-${name}`));
  const draw = () => {
    const room = frame.clientWidth;
    if (!room) return;
    const text = room < 520 * data.zoom ? data.narrow : data.svg;
    if (state.drawn !== text) {
      const active = focused();
      paper.innerHTML = text;
      state.drawn = text;
      if (active) find(active)?.focus({ preventScroll: true });
    }
    const svg = paper.querySelector('svg');
    svg.dataset.theme = themeOf(frame);
    const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
    const zoom = Math.min(room / wide, data.zoom);
    svg.setAttribute('width', wide * zoom); svg.setAttribute('height', tall * zoom);
    const at = state.held ?? state.last, mark = at && find(at.name);  // the page may be a step behind the reader
    if (mark && (state.held || performance.now() - at.at < 1500)) place(mark, at.value);
  };
  const send = (name, value) => {
    state.last = { name, value, at: performance.now() };
    setTriggerValue('moved', { name, value });
  };
  const snapped = (mark, value) => {
    const step = Number(mark.dataset.step);
    const whole = Math.round(value / step) * step;
    return Math.min(number(mark, 'valuemax'), Math.max(number(mark, 'valuemin'), Number(whole.toFixed(6))));
  };
  const pixels = (mark) => Number(mark.dataset.perUnit) * mark.ownerSVGElement.getBoundingClientRect().width /
    mark.ownerSVGElement.viewBox.baseVal.width;
  const place = (mark, value) => {
    const drawn = Number(mark.dataset.drawn ??= number(mark, 'valuenow'));
    if (value === number(mark, 'valuenow')) return;
    mark.setAttribute('transform', `translate(${(value - drawn) * Number(mark.dataset.perUnit)} 0)`);
    mark.setAttribute('aria-valuenow', value);
  };
  const nearest = (event) => {  // the touch areas of neighbours may overlap
    const away = (mark) => {
      const at = mark.querySelector('.ring').getBoundingClientRect();
      return Math.hypot(event.clientX - at.left - at.width / 2, event.clientY - at.top - at.height / 2);
    };
    return [...paper.querySelectorAll('.drag')].reduce((a, b) => (away(b) < away(a) ? b : a));
  };
  frame.onpointerdown = (event) => {
    if (!event.target.closest('.drag') || event.button !== 0) return;
    event.preventDefault();
    const mark = nearest(event);
    mark.focus({ preventScroll: true });
    const value = number(mark, 'valuenow');
    state.held = { name: mark.dataset.name, from: event.clientX, start: value, value, told: value };
    frame.setPointerCapture(event.pointerId);
  };
  frame.onpointermove = (event) => {
    const mark = state.held && find(state.held.name);
    if (!mark) return;
    state.held.value = snapped(mark, state.held.start + (event.clientX - state.held.from) / pixels(mark));
    place(mark, state.held.value);
    const now = performance.now();
    if (state.held.value !== state.held.told && now - state.sent > 250) {
      state.sent = now;
      state.held.told = state.held.value;
      send(state.held.name, state.held.value);
    }
  };
  frame.onpointerup = () => {
    const held = state.held;
    state.held = null;
    if (held && held.value !== held.told) send(held.name, held.value);
  };
  frame.onpointercancel = frame.onpointerup;
  frame.onkeydown = (event) => {
    const mark = event.target.closest?.('.drag');
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    const ends = { Home: 'valuemin', End: 'valuemax' }[event.key];
    if (!mark || (by === undefined && !ends)) return;
    event.preventDefault();
    const before = number(mark, 'valuenow');
    const value = snapped(mark, ends ? number(mark, ends) : before + by * Number(mark.dataset.step));
    if (value === before) return;
    place(mark, value);
    send(mark.dataset.name, value);
  };
  frame.watch?.disconnect();  // a rerun calls this again without the clean-up
  const watch = (frame.watch = new ResizeObserver(draw));
  watch.observe(frame);
  draw();
  return () => watch.disconnect();
}
