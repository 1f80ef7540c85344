import { keep } from './address.js';
import { button, choice, el } from './elements.js';
import { heatOf } from './heat.js';
import { heatDrawing } from './heat-drawing.js';
import { mainMetrics } from './names.js';
import { inUnit } from './numbers.js';
import { save, saveHidden } from './save.js';
import { shown } from './shown.js';
import { scrollBox, toCsv } from './table.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { Heat } from './heat.js' */

const USUAL_METRIC = 'costUsd';

/**
 * One metric over two settings.
 * @param {PageData} report
 * @param {URLSearchParams} params
 */
export function heatMap(report, params) {
  const { grid } = report;
  const metrics = mainMetrics(report).filter(([, index]) =>
    report.groups.some(({ values }) => (values[index] ?? null) !== null),
  );
  const named = (/** @type {string | null} */ wanted) =>
    metrics.find(([{ name }]) => name === wanted);
  const first = named(params.get('map')) ?? named(USUAL_METRIC) ?? metrics[0];
  if (grid === undefined || first === undefined) return [];
  const holder = el('div');
  let heat = heatOf(report, grid, first);
  const draw = () => holder.replaceChildren(heatTable(heat));
  const change = (/** @type {string} */ name) => {
    heat = heatOf(report, grid, named(name) ?? first);
    keep('map', name);
    draw();
  };
  draw();
  const options = metrics.map(([{ name, label }]) => /** @type {const} */ ([name, label]));
  const picked = choice('Metric', { options, value: first[0].name }, change);
  return [
    el('h2', {}, 'Heat map'),
    el(
      'div',
      { class: 'bar' },
      picked,
      saveButtons(() => heat),
    ),
    holder,
  ];
}

/** @param {() => Heat} current */
function saveButtons(current) {
  const csv = () => save('heat-map.csv', 'text/csv', heatCsv(current()));
  const picture = () => saveHidden(heatDrawing(current()), 'heat-map');
  return el(
    'span',
    { class: 'push' },
    button('CSV', csv, { 'aria-label': 'Save the heat map as CSV' }),
    button('SVG', picture, { 'aria-label': 'Save the heat map as SVG' }),
  );
}

/** @param {Heat} heat */
function heatTable({ grid, caption, unit, valueOf, shadeOf }) {
  const corner = shown(`${grid.rowKey} ↓  ${grid.columnKey} →`);
  const heads = grid.columns.map((column) =>
    el('th', { scope: 'col', class: 'number' }, shown(column)),
  );
  const rows = grid.cells.map((cells, row) => {
    const values = cells.map((group) => {
      const look = { class: 'number', style: styleOf(shadeOf(group)) };
      return el('td', look, inUnit(valueOf(group), unit));
    });
    return el('tr', {}, el('th', { scope: 'row' }, shown(grid.rows[row] ?? '')), ...values);
  });
  const head = el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, corner), ...heads));
  const table = el('table', {}, el('caption', {}, caption), head, el('tbody', {}, ...rows));
  return scrollBox({ label: caption }, table);
}

/** @param {number | null} shade */
function styleOf(shade) {
  if (shade === null) return '';
  return `background: color-mix(in srgb, var(--fresh) ${Math.round(100 * shade)}%, transparent)`;
}

/** @param {Heat} heat */
function heatCsv({ grid, valueOf }) {
  const columns = [grid.rowKey, ...grid.columns].map((title) => ({ title }));
  const rows = grid.cells.map((cells, row) => [
    { text: grid.rows[row] ?? '' },
    ...cells.map((group) => ({ text: '', value: valueOf(group) })),
  ]);
  return toCsv(columns, rows);
}
