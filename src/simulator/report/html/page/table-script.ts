/** Tables that sort, filter and can be saved. */
export const tableScript = String.raw`
const csvCell = (value) => {
  const text = value === null || value === undefined ? '' : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
};
const toCsv = (columns, rows) =>
  [columns.map((column) => column.title), ...rows.map((row) => row.map((cell) => cell.value === undefined ? cell.text : cell.value))]
    .map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

// The number that a text begins with; nothing where it is none.
const numberIn = (text) => { const [found] = /^[-+]?\$?[\d,]+(\.\d+)?/.exec(text) || []; return found === undefined ? null : Number(found.replace(/[$,]/g, '')); };
// columns: title, isNumber, describes. rows of cells: text, value, href, className, chip (a kind), more (a long text). The first cell of a row names it.
function makeTable({ caption, columns, rows, file, sort, onSort, isTall }) {
  let order = sort || '';
  const body = el('tbody');
  const heads = columns.map((column, index) => {
    const title = shown(column.title);
    return el('th', { scope: 'col', class: column.isNumber ? 'number' : undefined, title: column.describes },
      onSort ? button(title, () => turn(index)) : title);
  });
  const table = el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, ...heads)), body);
  const box = el('div', { class: 'scroll' + (isTall ? ' tall' : ''), tabindex: '0', role: 'region', 'aria-label': caption }, table);
  let current = rows;

  function turn(index) {
    order = order === index + ':descending' ? index + ':ascending' : order === index + ':ascending' ? '' : index + ':descending';
    onSort(order);
    draw();
  }
  function sorted() {
    const [index, direction] = order.split(':');
    if (order === '' || !columns[index]) return current;
    const sign = direction === 'ascending' ? 1 : -1;
    return [...current].sort((a, b) => {
      const [left, right] = [a[index], b[index]].map((cell) => cell.value !== undefined ? cell.value : columns[index].isNumber ? numberIn(cell.text) : cell.text);
      if (left === null || right === null) return (left === null ? 1 : 0) - (right === null ? 1 : 0);
      return sign * (typeof left === 'number' && typeof right === 'number' ? left - right : String(left) < String(right) ? -1 : left === right ? 0 : 1);
    });
  }
  function draw() {
    const [index, direction] = order.split(':');
    heads.forEach((head, at) => {
      if (order !== '' && String(at) === index) head.setAttribute('aria-sort', direction);
      else head.removeAttribute('aria-sort');
    });
    body.replaceChildren(...sorted().map((row) => el('tr', {}, ...row.map(toCell))));
  }
  function toCell(cell, index) {
    const column = columns[index];
    const words = cell.chip ? el('span', { class: 'chip ' + cell.chip }, shown(cell.text)) : shown(cell.text);
    const content = cell.href ? el('a', { href: cell.href }, words) : cell.more === undefined ? words : unfolding(words, cell);
    const className = [column.isNumber ? 'number' : column.className || '', cell.className || ''].join(' ').trim();
    return el(index === 0 ? 'th' : 'td', { scope: index === 0 ? 'row' : undefined, class: className || undefined, title: cell.title }, content);
  }
  // A long text is put into the page when somebody opens it.
  function unfolding(words, { more, isDrawing }) {
    const details = el('details', {}, el('summary', {}, words));
    details.addEventListener('toggle', () => { if (details.open && details.children.length === 1) details.append(el('pre', { class: isDrawing ? 'text drawing' : 'text', tabindex: '0', 'aria-label': 'Whole text' }, shownLines(more))); });
    return details;
  }
  draw();
  return {
    box,
    csv: () => save(fileName(file) + '.csv', 'text/csv', toCsv(columns, sorted())),
    show: (some) => { current = some; draw(); },
  };
}

// A table with its button.
function tableBlock(options, ...controls) {
  const table = makeTable(options);
  const save = button('CSV', table.csv, { 'aria-label': 'Save as CSV: ' + options.caption });
  return { ...table, block: el('div', {}, el('div', { class: 'bar' }, ...controls, el('span', { class: 'push' }, save)), table.box) };
}

const valueCell = (value, unit, extra) => ({ text: inUnit(value, unit), value: value === undefined ? null : value, ...extra });
// Metrics as rows, groups as columns; the best of each row stands out, of those that can be compared.
function metricRows(metrics, lists, peers) {
  return metrics.map(([metric, index]) => {
    const values = lists.map((values) => values[index]);
    const known = values.filter((value, at) => peers[at] && value !== null);
    const best = known.length < 2 || new Set(known).size < 2 ? undefined
      : metric.better === 'lower' ? Math.min(...known) : metric.better === 'higher' ? Math.max(...known) : undefined;
    return [{ text: metric.label, title: metric.describes }, ...values.map((value, at) =>
      valueCell(value, metric.unit, peers[at] && value !== null && value === best ? { className: 'best', title: 'best of the row' } : {}))];
  });
}
const metricColumns = (groups, first) => [{ title: first, className: 'name' }, ...groups.map((name) => ({ title: name, isNumber: true }))];
const allMetrics = () => data.metrics.map((metric, index) => [metric, index]);
const mainMetrics = () => allMetrics().filter(([metric]) => metric.isMain);
`;
