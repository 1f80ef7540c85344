const UNKNOWN = '–';

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
 * A whole number as people read it.
 * @param {number | null | undefined} value
 */
export function count(value) {
  return value === null || value === undefined ? UNKNOWN : Math.round(value).toLocaleString('en');
}
