// The tree one can click, fold, zoom, drag, and walk through by keyboard.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.penumbra-view');
  const frame = root.querySelector('.frame'), paper = root.querySelector('.paper');
  const state = (root.state ??= { zoom: null, drawn: null, seen: false });
  const held = (parentElement.activeElement || document.activeElement)?.dataset;
  const active = held?.node ?? held?.fold;
  if (state.drawn !== data.svg) { paper.innerHTML = data.svg; state.drawn = data.svg; }
  const svg = paper.querySelector('svg');
  if (!svg) return;
  svg.dataset.theme = themeOf(root);
  const wide = svg.viewBox.baseVal.width, tall = svg.viewBox.baseVal.height;
  const node = (k) => svg.querySelector(`[data-node="${k}"]`);
  const middle = (element) => {
    const a = element.getBoundingClientRect(), b = frame.getBoundingClientRect();
    frame.scrollLeft += a.left + a.width / 2 - b.left - b.width / 2;
  };
  const fitted = () => Math.min(1, frame.clientWidth / wide);
  const show = () => {
    if (!frame.clientWidth) return;
    const opening = fitted() >= 0.72 ? fitted() : 1;
    const zoom = state.zoom === 'fit' ? fitted() : state.zoom ?? opening;
    svg.setAttribute('width', wide * zoom); svg.setAttribute('height', tall * zoom);
    svg.classList.toggle('distant', zoom < 0.6);
    const touch = 44 / Math.max(zoom, 0.6);  // 44 pixels on the screen, whatever the zoom
    svg.querySelectorAll('.fold').forEach((mark) => {
      const area = mark.querySelector('rect'), middle = mark.querySelector('circle').cx.baseVal.value;
      area.setAttribute('x', middle - touch / 2); area.setAttribute('width', touch); area.setAttribute('height', touch);
    });
    frame.style.maxHeight = data.height ? data.height + 'px' : Math.max(tall * opening + 18, 240) + 'px';
    return zoom;
  };
  const set = (zoom) => {
    const x = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
    const y = (frame.scrollTop + frame.clientHeight / 2) / frame.scrollHeight;
    state.zoom = zoom === 'fit' ? 'fit' : Math.min(3, Math.max(0.15, zoom));
    show();
    frame.scrollLeft = x * frame.scrollWidth - frame.clientWidth / 2;
    frame.scrollTop = y * frame.scrollHeight - frame.clientHeight / 2;
  };
  const current = () => Number(svg.getAttribute('width')) / wide;
  show();
  if (state.wide !== wide) { state.wide = wide; state.seen = false; }  // another tree: its root comes into view
  if (!state.seen && frame.clientWidth) {
    state.seen = true;
    const chosen = (active !== undefined && node(active)) || svg.querySelector('[aria-pressed=true]') || svg.querySelector('.node');
    if (chosen) middle(chosen);
  }
  if (active !== undefined && node(active)) node(active).focus({ preventScroll: true });

  const light = (event) => {
    const at = event.target.closest?.('.node');
    svg.querySelectorAll('.on').forEach((part) => part.classList.remove('on'));
    if (!at) return;
    at.dataset.path.split(' ').forEach((k) => {
      svg.querySelectorAll(`[data-child="${k}"]`).forEach((part) => part.classList.add('on'));
    });
  };
  svg.onpointerover = light;
  svg.onpointerleave = light;
  svg.onfocusin = light;

  let hold = null, moved = false;
  frame.onpointerdown = (event) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    hold = { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop };
    moved = false;
  };
  frame.onpointermove = (event) => {
    if (!hold) return;
    const dx = event.clientX - hold.x, dy = event.clientY - hold.y;
    if (!moved && Math.hypot(dx, dy) > 4) {
      moved = true;
      frame.classList.add('held');
      frame.setPointerCapture(event.pointerId);
    }
    if (moved) { frame.scrollLeft = hold.left - dx; frame.scrollTop = hold.top - dy; }
  };
  const release = () => { hold = null; frame.classList.remove('held'); };
  frame.onpointerup = release;
  frame.onpointercancel = release;
  frame.onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    set(current() * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  };
  const fold = (k) => setTriggerValue('folded', Number(k));
  svg.onclick = (event) => {
    const at = event.target.closest('.node'), mark = event.target.closest('.fold');
    if (moved || !(at || mark)) { moved = false; return; }
    if (mark) { node(mark.dataset.fold)?.focus({ preventScroll: true }); fold(mark.dataset.fold); return; }
    at.focus({ preventScroll: true });
    setTriggerValue('clicked', Number(at.dataset.node));
  };

  const step = (at, key) => {
    const family = (k) => [...svg.querySelectorAll(`[data-parent="${k}"]`)];
    if (key === 'ArrowUp') return node(at.dataset.parent);
    if (key === 'ArrowDown') return family(at.dataset.node)[0];
    const row = family(at.dataset.parent), place = row.indexOf(at);
    return row[place + (key === 'ArrowLeft' ? -1 : 1)];
  };
  svg.onkeydown = (event) => {
    const at = event.target.closest('.node'), mark = event.target.closest('.fold');
    if (mark && (event.key === ' ' || event.key === 'Enter')) { event.preventDefault(); fold(mark.dataset.fold); return; }
    if (!at) return;
    if (event.key === ' ') {
      event.preventDefault();
      if (at.hasAttribute('aria-expanded')) fold(at.dataset.node);
      return;
    }
    if (event.key === 'Enter') { event.preventDefault(); setTriggerValue('clicked', Number(at.dataset.node)); }
    else if (event.key === 'Escape') { event.preventDefault(); setTriggerValue('clicked', -1); }
    else if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      const next = step(at, event.key);
      if (next) { next.focus({ preventScroll: true }); next.scrollIntoView({ block: 'nearest', inline: 'nearest' }); }
    }
  };

  root.querySelectorAll('.bar button').forEach((button) => {
    button.onclick = () => {
      const act = button.dataset.act;
      if (act === 'in') set(current() * 1.25);
      if (act === 'out') set(current() / 1.25);
      if (act === 'fit') set('fit');
      if (act === 'png') picture();
    };
  });
  const picture = () => {
    const copy = svg.cloneNode(true), scale = 2;
    copy.classList.remove('distant');
    copy.querySelectorAll('.fold, .sign').forEach((mark) => mark.remove());
    copy.dataset.theme = 'light';
    copy.setAttribute('width', wide * scale); copy.setAttribute('height', tall * scale);
    const text = new XMLSerializer().serializeToString(copy);
    const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement('canvas');
      canvas.width = wide * scale; canvas.height = tall * scale;
      const pen = canvas.getContext('2d');
      pen.fillStyle = '#FFFFFF'; pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(image, 0, 0);
      URL.revokeObjectURL(url);
      canvas.toBlob((blob) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob); link.download = 'tree.png'; link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
    };
    image.src = url;
  };
  state.watch?.disconnect();  // as above: an old watcher would set the old picture's height
  const watch = (state.watch = new ResizeObserver(show));
  watch.observe(frame);
  return () => watch.disconnect();
}
