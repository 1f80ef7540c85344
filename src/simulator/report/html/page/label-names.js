import { brief } from './shown.js';

/**
 * @typedef {object} Named Something with a name in parts.
 * @property {string} name All of it.
 * @property {readonly string[]} parts What may tell it from others; none where only the whole name does.
 * @property {string} note What is said behind the name, however long that is.
 */

/**
 * Labels that tell things from each other: without what all of them share, and cut to so many letters where no two of
 * them become the same by that.
 * @param {readonly Named[]} all
 * @param {number} most
 * @returns {readonly string[]}
 */
export function labelNames(all, most) {
  const names = all.map(({ name, parts, note }) => {
    const own = parts.filter((part) => !all.every((other) => other.parts.includes(part)));
    const words = own.length === 0 ? name : own.join(' ');
    const toLabel = (/** @type {number} */ letters) =>
      `${brief(words, letters - note.length)}${note}`;
    return { whole: toLabel(Infinity), cut: toLabel(most) };
  });
  return names.map(({ whole, cut }) => {
    const isOfAnother = names.some((other) => other.cut === cut && other.whole !== whole);
    return isOfAnother ? whole : cut;
  });
}
