/** What all parts of a page use: elements, numbers, addresses, downloads. */
export const toolScript = String.raw`
let data;
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;
const shown = (text) => String(text).replace(HIDDEN, (one) =>
  Array.from({ length: one.length }, (_, at) => '\\u' + one.charCodeAt(at).toString(16).padStart(4, '0')).join(''));

const shownLines = (text) => String(text).split('\n').map((line) => line.split('\t').map(shown).join('\t')).join('\n');

// Texts become text nodes, whatever they hold.
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === 'on') for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

function svg(name, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// How wide a picture can be so that its letters keep their size.
const roomFor = (most) => Math.max(280, Math.min(most, document.getElementById('content').clientWidth - 60));

// A name as it fits into a picture; whole where the pointer rests on it.
const brief = (text, most = 40) => { const whole = shown(text); return whole.length > most ? whole.slice(0, most - 1) + '…' : whole; };

const UNKNOWN = '–';
const grouped = (value) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
function count(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const size = Math.abs(value), text = Number.isInteger(value) || size >= 10 ? grouped(Math.round(size)) : size < 1 ? String(Number(size.toFixed(Math.min(4, 1 - Math.floor(Math.log10(size)))))) : size.toFixed(1);
  return (value < 0 && /[1-9]/.test(text) ? '-' : '') + text;
}
const counted = (value, word) => count(value) + ' ' + word + (value === 1 ? '' : 's');
function usd(value) {
  if (value === null || value === undefined) return UNKNOWN;
  const small = Math.abs(value).toFixed(4);
  const [whole, cents] = (Number(small) < 1 ? small : Math.abs(value).toFixed(2)).split('.');
  return (value < 0 && Number(small) > 0 ? '-' : '') + '$' + grouped(whole) + '.' + cents;
}
function inUnit(value, unit) {
  if (value === null || value === undefined) return UNKNOWN;
  if (unit === 'usd') return usd(value);
  if (unit === 'ratio') return (100 * value).toFixed(1) + ' %';
  if (unit === 'factor') return value.toFixed(Math.abs(value) >= 1 ? 2 : 3);
  if (unit === 'ms') return count(Math.round(value / 1000)) + ' s';
  return count(value);
}
const short = (value) => value < 0 ? '-' + short(-value) : value >= 1e6 ? trim(value / 1e6) + 'M' : value >= 1e3 ? trim(value / 1e3) + 'k' : trim(value);
const trim = (value) => String(Number(value.toPrecision(3)));
function signed(value, unit) { const text = inUnit(value, unit); return value > 0 && /[1-9]/.test(text) ? '+' + text : text; }
const chance = (p) => p === undefined || p === null ? UNKNOWN : p < 0.0001 ? '< 0.0001' : p.toFixed(4);

function duration(ms) {
  const [minute, hour] = [60000, 3600000];
  if (ms < minute) return Math.round(ms / 1000) + ' s';
  const total = Math.round(ms / minute);
  if (total < 60) return total + ' min';
  const hours = Math.floor(total / 60), minutes = total % 60;
  if (ms >= 48 * hour) return Math.floor(hours / 24) + ' d ' + (hours % 24) + ' h';
  return hours + ' h' + (minutes === 0 ? '' : ' ' + minutes + ' min');
}

const groupName = (index) => data.groups[index].names.join(' · ');
const colorOf = (group) => 'var(--p' + (group % 6) + ')';
const metricIndex = (name) => data.metrics.findIndex((metric) => metric.name === name);

// A name with half a character in it cannot be in an address; its number can.
function key(name, index) { try { return encodeURIComponent(name); } catch (error) { return '~' + index; } }
const sessionKey = (index) => key(data.sessions[index], index);

function address() {
  const [path, query = ''] = location.hash.replace(/^#/, '').split('?');
  return { parts: path.split('/').filter((part) => part !== ''), params: new URLSearchParams(query) };
}
function withParams(path, params) {
  const query = params.toString();
  return '#' + path + (query === '' ? '' : '?' + query);
}
const hrefOf = (session, step, params) =>
  withParams('/session/' + sessionKey(session) + (step === undefined ? '' : '/step/' + (step + 1)), params || new URLSearchParams());
const policyHref = (group) => '#/policy/' + key(groupName(group), group);
// What is typed or ticked goes to the address without a new page.
function keep(name, value) {
  const { parts, params } = address();
  if (value === '') params.delete(name); else params.set(name, value);
  history.replaceState(null, '', withParams('/' + parts.join('/'), params));
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el('a', { href: url, download: name }).click();
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}
const button = (label, run, attributes) => el('button', { type: 'button', ...attributes, on: { click: run } }, label);
function choice(label, options, value, change) {
  const select = el('select', { on: { change: () => change(select.value) } },
    ...options.map(([id, text]) => el('option', { value: id, selected: id === value }, shown(text))));
  return el('label', {}, label, select);
}
const fileName = (text) => text.replace(/[^\w.-]+/g, '-').slice(-60).replace(/^[-.]+/, '') || 'report';
`;
