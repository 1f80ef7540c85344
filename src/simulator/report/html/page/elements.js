/**
 * An element with its attributes, around texts and other elements.
 * @param {string} name
 * @param {Readonly<Record<string, string | (() => void)>>} attributes
 * @param {readonly (Node | string)[]} children
 */
export function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/**
 * A button.
 * @param {string} words
 * @param {() => void} act
 */
export function button(words, act) {
  return el('button', { type: 'button', click: act }, words);
}

/**
 * A table that scrolls by itself.
 * @param {Readonly<Record<string, string>>} of
 * @param {readonly string[]} titles
 * @param {readonly HTMLElement[]} rows
 */
export function scrolled({ label = '', name = 'scroll', caption = '' }, titles, rows) {
  const heads = titles.map((title) => el('th', { scope: 'col' }, title));
  const words = caption === '' ? [] : [el('caption', {}, caption)];
  return el(
    'div',
    { class: name, role: 'region', tabindex: '0', 'aria-label': label },
    el('table', {}, ...words, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...rows)),
  );
}

/**
 * A whole number as people read it.
 * @param {number | null | undefined} value
 */
export function count(value) {
  return value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en');
}
