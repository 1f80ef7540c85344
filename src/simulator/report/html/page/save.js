import { el, svg } from './elements.js';
import { shownLines } from './shown.js';

/** The styles of a drawing that come from the page. */
const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'display',
  'visibility',
  'paint-order',
  'font-size',
  'font-weight',
  'font-family',
  'text-anchor',
  'dominant-baseline',
];

const LONGEST_FILE_NAME = 60;
const MS_UNTIL_FORGOTTEN = 1_000;

/**
 * Saves a text as a file.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el('a', { href: url, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(url), MS_UNTIL_FORGOTTEN);
}

/**
 * The name of a file, of any text.
 * @param {string} text
 */
export function fileName(text) {
  const name = text.replace(/[^\w.-]+/g, '-').slice(-LONGEST_FILE_NAME);
  return name.replace(/^[-.]+/, '') || 'report';
}

/**
 * Saves a drawing of the page, which looks as a file as it does there.
 * @param {SVGSVGElement} drawing
 * @param {string} name
 */
export function saveSvg(drawing, name) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const copies = [copy, ...copy.querySelectorAll('*')];
  [drawing, ...drawing.querySelectorAll('*')].forEach((original, index) => {
    const twin = copies[index];
    if (twin !== undefined) fixLooks(original, twin);
  });
  const { width, height } = drawing.viewBox.baseVal;
  const fill = getComputedStyle(document.documentElement).backgroundColor;
  copy.prepend(svg('rect', { width, height, fill }));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const text = shownLines(new XMLSerializer().serializeToString(copy));
  save(`${fileName(name)}.svg`, 'image/svg+xml', text);
}

/**
 * @param {Element} original
 * @param {Element} copy
 */
function fixLooks(original, copy) {
  const style = getComputedStyle(original);
  // Styles of the page name colours that only the page knows, and win over attributes.
  copy.removeAttribute('style');
  copy.removeAttribute('class');
  for (const look of LOOKS) copy.setAttribute(look, style.getPropertyValue(look));
}

/**
 * Saves a drawing that is not on the page; its looks come from there, so it is in it for a moment.
 * @param {SVGSVGElement} drawing
 * @param {string} name
 */
export function saveHidden(drawing, name) {
  const holder = el('div', { class: 'aside', 'aria-hidden': 'true' }, drawing);
  document.body.append(holder);
  saveSvg(drawing, name);
  holder.remove();
}
