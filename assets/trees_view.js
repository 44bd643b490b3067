// Trees side by side; on a narrow page letters are tabs over one tree; many trees scroll sideways beside the first.
const NARROW = 620;
const made = (name, attributes = {}, inside = []) => {
  const element = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  element.append(...inside);
  return element;
};
const pane = (tree, k, hold) => {
  const head = made('div', { class: 'head' }, [
    made('b', { class: 'letter' }, [tree.letter]),
    made('span', {}, [made('b', {}, [tree.name]), ' ', made('small', {}, [tree.told])]),
  ]);
  if (hold) head.append(hold);
  const frame = made('div', { class: 'frame' }, [made('div', { class: 'paper' })]);
  return made('div', { class: 'pane', id: `tree-${k}` }, [head, frame]);
};
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector('.trees');
  const letters = root.querySelector('.letters'), panes = root.querySelector('.panes');
  const state = (root.state ??= { drawn: '', shown: 0, held: '' });
  const many = data.trees.length > data.most, drawn = JSON.stringify(data);
  if (state.drawn !== drawn) {
    state.drawn = drawn;
    state.left?.forEach((leave) => leave());
    letters.replaceChildren(); panes.replaceChildren();
    state.shown = Math.min(state.shown, data.trees.length - 1);
    state.tabs = data.trees.map((tree, k) => made('button', { type: 'button', role: 'tab', id: `tab-${k}`, 'aria-controls': `tree-${k}`,
      'aria-label': `${tree.letter} ${tree.name}` }, [tree.letter]));
    state.holds = data.trees.map((tree, k) => (many && k ? made('button', { type: 'button', class: 'hold',
      'aria-label': `Hold ${tree.letter} ${tree.name} beside ${data.trees[0].letter}` }) : null));
    state.panes = data.trees.map((tree, k) => pane(tree, k, state.holds[k]));
    if (data.trees.length > 1) letters.append(...state.tabs);
    panes.append(...state.panes);
    root.style.setProperty('--across', data.across);
  }
  const narrow = () => root.clientWidth < NARROW && data.trees.length > 1;
  const show = () => {
    const tabs = narrow();
    root.classList.toggle('narrow', tabs);
    root.classList.toggle('many', many && !tabs);
    state.tabs.forEach((tab, k) => {
      tab.setAttribute('aria-selected', String(k === state.shown));
      tab.setAttribute('tabindex', k === state.shown ? '0' : '-1');
    });
    state.panes.forEach((each, k) => {
      each.classList.toggle('shown', !tabs || k === state.shown);
      each.classList.toggle('held', many && !tabs && (k === 0 || data.trees[k].name === state.held));
      if (tabs) { each.setAttribute('role', 'tabpanel'); each.setAttribute('aria-labelledby', `tab-${k}`); }
      else { each.removeAttribute('role'); each.removeAttribute('aria-labelledby'); }
    });
    state.holds.forEach((hold, k) => {
      if (!hold) return;
      const held = data.trees[k].name === state.held;
      hold.setAttribute('aria-pressed', String(held));
      hold.textContent = held ? 'held' : 'hold';
    });
    const scrolls = { tabindex: '0', role: 'region', 'aria-label': 'Trees side by side; scrolls' };
    Object.entries(scrolls).forEach(([key, value]) => {
      if (many && !tabs) panes.setAttribute(key, value); else panes.removeAttribute(key);
    });
  };
  const choose = (k) => { state.shown = k; show(); };
  state.tabs.forEach((tab, k) => {
    tab.onclick = () => choose(k);
    tab.onkeydown = (event) => {
      const last = state.tabs.length - 1;
      const to = { ArrowRight: k === last ? 0 : k + 1, ArrowLeft: k ? k - 1 : last, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(to);
      state.tabs[to].focus();
    };
  });
  state.holds.forEach((hold, k) => {
    if (hold) hold.onclick = () => { state.held = data.trees[k].name === state.held ? '' : data.trees[k].name; show(); };
  });
  show();
  state.left = state.panes.map((each, k) => standIn(each.querySelector('.frame'), data.trees[k].svg));
  root.watch?.disconnect();
  const watch = (root.watch = new ResizeObserver(show));
  watch.observe(root);
  return () => { watch.disconnect(); state.left.forEach((leave) => leave()); };
}
