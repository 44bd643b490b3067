// A lesson's figure: marks are dragged or moved by arrow keys; the page then draws the figure again.
// In front of a room (data.room) the whole page's keys are the figure's: space, arrows, Escape.
export default function ({ data, parentElement, setTriggerValue }) {
  const frame = parentElement.querySelector('.frame'), paper = frame.querySelector('.paper');
  const state = (frame.state ??= { drawn: null, held: null, sent: 0, last: null, shown: null });
  const RECENT = 1500;  // ms in which the page may be a step behind the reader
  const EVERY = 250;  // ms between two messages
  Object.assign(state, { trigger: setTriggerValue, turn: data.room?.turn });  // also for what is told later
  const recent = (each) => each && performance.now() - each.at < RECENT;
  const focused = () => (parentElement.activeElement || document.activeElement)?.dataset?.name;
  const find = (name) => [...paper.querySelectorAll('.drag')].find((mark) => mark.dataset.name === name);
  const number = (mark, name) => Number(mark.getAttribute(`aria-${name}`));
  const drawn = (mark) => ({ value: Number(mark.dataset.drawn ??= number(mark, 'valuenow')),
    up: Number(mark.dataset.drawnUp ??= mark.dataset.up ?? 0) });
  const draw = () => {
    const room = frame.clientWidth;
    if (!room) return;
    const most = data.room ? Math.max(data.zoom, (window.innerHeight - 32) / data.tall) : data.zoom;
    const text = room < 520 * data.zoom ? data.narrow : data.svg;
    if (state.drawn !== text) {
      const active = focused();
      paper.innerHTML = text;
      state.drawn = text;
      if (active) find(active)?.focus({ preventScroll: true });
      if (state.last && !behind(state.last)) clearTimeout(state.later);
    }
    const svg = paper.querySelector('svg');
    svg.dataset.theme = themeOf(frame);
    const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
    const zoom = Math.min(room / wide, most);
    svg.setAttribute('width', wide * zoom); svg.setAttribute('height', tall * zoom);
    for (const touch of paper.querySelectorAll('.touch')) touch.setAttribute('r', 22.5 / Math.min(zoom, 1));
    const at = state.held ?? state.last, mark = at && find(at.name);
    if (mark && (state.held || recent(at))) place(mark, at.value, at.up);
  };
  const behind = ({ name, value, up }) => {  // whether the page has not drawn what it was told
    const mark = find(name), from = mark && drawn(mark);
    return from ? from.value !== value || from.up !== up : state.turn?.name === name && state.turn.value !== value;
  };
  const tell = (again) => {  // of many messages one may be lost: what was not drawn is told again
    clearTimeout(state.later);
    state.waiting = false;
    const { name, value, up } = state.last;
    state.sent = performance.now();
    state.trigger('moved', { name, value, up });
    if (again) state.later = setTimeout(() => { if (frame.isConnected && behind(state.last)) tell(again - 1); }, RECENT);
  };
  const send = (name, value, up) => {
    state.last = { name, value, up, at: performance.now() };
    clearTimeout(state.later);
    const wait = state.sent + EVERY - performance.now();
    state.waiting = wait > 0;
    if (state.waiting) state.later = setTimeout(() => { if (frame.isConnected) tell(3); }, wait);
    else tell(3);
  };
  const stepped = (value, step, low, high) =>
    Math.min(high, Math.max(low, Number((Math.round(value / step) * step).toFixed(6))));
  const across = (mark, value) => stepped(value, Number(mark.dataset.step), number(mark, 'valuemin'), number(mark, 'valuemax'));
  const upward = (mark, value) => mark.dataset.up === undefined ? 0
    : stepped(value, Number(mark.dataset.step), Number(mark.dataset.low), Number(mark.dataset.high));
  const scale = (mark) => mark.ownerSVGElement.getBoundingClientRect().width / mark.ownerSVGElement.viewBox.baseVal.width;
  const place = (mark, value, up) => {
    const from = drawn(mark);
    if (value === number(mark, 'valuenow') && up === Number(mark.dataset.up ?? 0)) return;
    const x = (value - from.value) * Number(mark.dataset.perUnit), y = (from.up - up) * Number(mark.dataset.perUp ?? 0);
    mark.setAttribute('transform', `translate(${x} ${y})`);
    mark.setAttribute('aria-valuenow', value);
    if (mark.dataset.up !== undefined) {
      mark.dataset.up = up;
      mark.setAttribute('aria-valuetext', `${value} across, ${up} up`);
    }
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
    const value = number(mark, 'valuenow'), up = Number(mark.dataset.up ?? 0);
    state.held = { name: mark.dataset.name, from: [event.clientX, event.clientY], start: [value, up], value, up,
      told: `${value} ${up}` };
    frame.setPointerCapture(event.pointerId);
  };
  frame.onpointermove = (event) => {
    const held = state.held, mark = held && find(held.name);
    if (!mark) return;
    held.value = across(mark, held.start[0] + (event.clientX - held.from[0]) / scale(mark) / Number(mark.dataset.perUnit));
    held.up = upward(mark, held.start[1] + (held.from[1] - event.clientY) / scale(mark) / Number(mark.dataset.perUp));
    place(mark, held.value, held.up);
    const told = `${held.value} ${held.up}`;
    if (told !== held.told) {
      held.told = told;
      send(held.name, held.value, held.up);
    }
  };
  frame.onpointerup = () => { state.held = null; };
  frame.onpointercancel = frame.onpointerup;
  const keys = (mark, key) => {  // the mark's next place, null for another key
    const value = number(mark, 'valuenow'), up = Number(mark.dataset.up ?? 0), step = Number(mark.dataset.step);
    const plane = mark.dataset.up !== undefined;
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: plane ? [0, -1] : [-1, 0],
      ArrowUp: plane ? [0, 1] : [1, 0], PageDown: [-10, 0], PageUp: [10, 0] }[key];
    if (by) return [across(mark, value + by[0] * step), upward(mark, up + by[1] * step)];
    const end = { Home: 'valuemin', End: 'valuemax' }[key];
    return end ? [number(mark, end), up] : null;
  };
  frame.onkeydown = (event) => {
    const mark = event.target.closest?.('.drag'), to = mark && keys(mark, event.key);
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (to[0] === number(mark, 'valuenow') && to[1] === Number(mark.dataset.up ?? 0)) return;
    place(mark, ...to);
    send(mark.dataset.name, ...to);
  };
  const presses = ({ key, target }) => (key === 'Enter' || (key === ' ' && (!data.room || state.tabbed)))
    && target.closest?.('button, a, summary, input');
  const acted = (event) => {  // a button that was clicked leaves the keys to the figure, and what it does is not undone
    if (event.type === 'pointerdown') state.tabbed = false;
    if (event.type === 'keydown' && !presses(event)) return;
    const own = event.composedPath().includes(frame);
    if (own && event.type !== 'pointerdown') return;
    clearTimeout(state.later);
    if (state.waiting) tell(0);
    if (!own && find(state.last?.name)) state.last = state.drawn = null;  // nor does a mark stay where it was moved before
  };
  // In front of a room. A button reached by Tab keeps its own keys, and so does whatever is typed into.
  const inRoom = (event) => {
    if (!frame.isConnected) { unlisten(); return; }
    const at = event.composedPath()[0], tag = at.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest?.('[role=dialog], [role=listbox], [role=menu]')) return;
    if (event.key === 'Escape') { event.preventDefault(); setTriggerValue('pressed', 'leave'); return; }
    const typed = tag === 'TEXTAREA' || (tag === 'INPUT' && !['range', 'radio', 'button'].includes(at.type));
    if (typed || at.closest?.('.drag') && event.key !== ' ') return;
    if (event.key === 'Tab') state.tabbed = true;
    const own = state.tabbed && at.closest?.('button, a, summary, [role=radio], input[type=radio]');
    if (own && (event.key === ' ' || event.key === 'Enter')) { state.tabbed = false; return; }  // it is pressed once
    const pages = { PageUp: -1, PageDown: 1 }[event.key];
    if (pages) {
      event.preventDefault();
      document.querySelector('[data-testid=stMain]')?.scrollBy({ top: pages * window.innerHeight / 2 });
      return;
    }
    if (event.key === ' ') {
      event.preventDefault();
      event.stopPropagation();
      if (event.repeat) return;
      const shown = recent(state.shown) ? state.shown.value : data.room.shown;
      state.shown = { value: !shown, at: performance.now() };
      setTriggerValue('pressed', shown ? 'cover' : 'show');
      return;
    }
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key], turn = data.room.turn;
    if (!by || !turn || own || (tag === 'INPUT' && at.type === 'range')) return;
    event.preventDefault();
    event.stopPropagation();
    const last = state.last?.name === turn.name && recent(state.last) ? state.last.value : turn.value;
    const value = Number((last + by * turn.step).toFixed(6));
    if (value >= turn.low && value <= turn.high) send(turn.name, value, 0);
  };
  const ACTS = ['pointerdown', 'keydown', 'click', 'input'];
  const unlisten = () => {
    document.removeEventListener('keydown', inRoom, true);
    for (const act of ACTS) document.removeEventListener(act, acted, true);
  };
  frame.unlisten?.();  // a rerun calls this again without the clean-up
  frame.unlisten = unlisten;
  for (const act of ACTS) document.addEventListener(act, acted, true);
  if (data.room) document.addEventListener('keydown', inRoom, true);
  frame.watch?.disconnect();
  const watch = (frame.watch = new ResizeObserver(draw));
  watch.observe(frame);
  draw();
  return () => {
    watch.disconnect();
    unlisten();
  };
}
