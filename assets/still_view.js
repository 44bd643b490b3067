// A picture that stands still.
export default function ({ data, parentElement }) {
  return standIn(parentElement.querySelector('.frame'), data.svg);
}
