// A button that copies a text; where a page may not touch the clipboard, by way of a hidden field.
const put = async (text, root) => {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* no such right: the old way */ }
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  root.appendChild(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
};
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector('.copy');
  const button = root.querySelector('button'), said = root.querySelector('span');
  if (root.text !== data.text) { root.text = data.text; said.textContent = ''; }
  button.textContent = data.label;
  button.onclick = async () => {
    const done = await put(data.text, root);
    said.textContent = done ? 'Copied' : 'Select the rule and copy it by hand';
    button.focus();
  };
}
