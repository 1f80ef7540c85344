import { shown } from './shown.js';

/** @typedef {{ [Type in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Type]) => void }} Listeners */
/** @typedef {string | number | boolean | undefined} AttributeValue `true` is set without a value; `false` is not set. */
/** @typedef {Readonly<Record<string, AttributeValue | Listeners>>} Attributes */
/** @typedef {Node | string | null | undefined} Child */

/**
 * An element; texts become text nodes, whatever they hold.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {readonly Child[]} children
 */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'object') listen(node, value);
    else if (value !== undefined && value !== false) {
      node.setAttribute(key, value === true ? '' : String(value));
    }
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {Listeners} listeners
 */
function listen(node, listeners) {
  for (const [type, listener] of Object.entries(listeners)) {
    node.addEventListener(type, /** @type {EventListener} */ (listener));
  }
}

/**
 * An element of a drawing.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | number>>} attributes
 * @param {readonly (Node | string)[]} children
 */
export function svg(name, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/**
 * A button.
 * @param {string} label
 * @param {() => void} run
 * @param {Attributes} [attributes]
 */
export function button(label, run, attributes) {
  return el('button', { type: 'button', ...attributes, on: { click: run } }, label);
}

/**
 * A button that saves something, at the right of its bar; `what` is said to those who do not see what it belongs to.
 * @param {string} label
 * @param {string} what
 * @param {() => void} run
 */
export function saveButton(label, what, run) {
  return el('span', { class: 'push' }, button(label, run, { 'aria-label': what }));
}

/** @typedef {readonly [id: string, text: string]} Option */

/**
 * A list to choose from.
 * @param {string} label
 * @param {{ readonly options: readonly Option[], readonly value: string }} offered
 * @param {(id: string) => void} change
 */
export function choice(label, { options, value }, change) {
  const select = el(
    'select',
    { on: { change: () => change(select.value) } },
    ...options.map(([id, text]) =>
      el('option', { value: id, selected: id === value }, shown(text)),
    ),
  );
  return el('label', {}, label, select);
}

/**
 * A field to filter by.
 * @param {Attributes & { readonly value: string }} attributes
 * @param {(text: string) => void} change
 */
export function filterField(attributes, change) {
  const field = el('input', {
    type: 'search',
    ...attributes,
    on: { input: () => change(field.value) },
  });
  return el('label', {}, 'Filter', field);
}

/**
 * A fold that is filled when somebody opens it.
 * @param {readonly Child[]} summary
 * @param {() => Node} fill
 */
export function unfolding(summary, fill) {
  const details = el('details', {}, el('summary', {}, ...summary));
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(fill());
  });
  return details;
}

/**
 * A text as it stands.
 * @param {string} label
 * @param {{ readonly className?: string }} look
 * @param {readonly Child[]} children
 */
export function textBox(label, { className = 'text' }, ...children) {
  return el('pre', { class: className, tabindex: '0', 'aria-label': label }, ...children);
}

/**
 * A colour with what it stands for.
 * @param {Attributes} look
 * @param {string} words
 */
export function colorKey(look, words) {
  return el('span', { class: 'key' }, el('i', look), words);
}

/**
 * Labels with their values.
 * @param {readonly Option[]} facts
 */
export function factList(facts) {
  return el(
    'dl',
    {},
    ...facts.flatMap(([label, value]) => [el('dt', {}, label), el('dd', {}, value)]),
  );
}

const NARROWEST = 280;
const MARGINS = 60;

/**
 * How wide a picture can be so that its letters keep their size, in pixels.
 * @param {number} most
 */
export function roomFor(most) {
  const content = document.querySelector('#content');
  return Math.max(NARROWEST, Math.min(most, (content?.clientWidth ?? most) - MARGINS));
}
