/** @import { PageData } from '../page-data.ts' */

/**
 * The data of the page, which is packed where there is much of it.
 * @returns {Promise<PageData>}
 */
export async function readData() {
  const holder = document.querySelector('#data');
  const text = holder?.textContent ?? '';
  const isPlain = holder?.getAttribute('type') === 'application/json';
  return JSON.parse(isPlain ? text : await unpackText(text.trim()));
}

/** @param {string} base64 */
function unpackText(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}
