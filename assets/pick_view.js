// A picture whose cells can be pressed: by mouse, finger, Enter or Space.
export default function ({ data, parentElement, setTriggerValue }) {
  const frame = parentElement.querySelector('.frame');
  const held = (parentElement.activeElement || document.activeElement)?.dataset?.cell;
  const left = standIn(frame, data.svg);
  frame.querySelectorAll('[data-cell]').forEach((cell) => {
    const press = () => setTriggerValue('picked', cell.dataset.cell);
    cell.onclick = press;
    cell.onkeydown = (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      press();
    };
    if (cell.dataset.cell === held) cell.focus({ preventScroll: true });
  });
  return left;
}
