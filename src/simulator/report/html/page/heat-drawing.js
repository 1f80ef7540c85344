import { svg } from './elements.js';
import { inUnit } from './numbers.js';
import { shown } from './shown.js';

/** @import { Heat } from './heat.js' */

const CELL = { width: 96, height: 30, gap: 2 };
const LEFT = 150;
const TOP = 52;
/** From the top of a cell to the line that its text stands on. */
const BASELINE = 19;

/**
 * A heat map as a drawing.
 * @param {Heat} heat
 */
export function heatDrawing(heat) {
  const { rows, columns, cells, rowKey, columnKey } = heat.grid;
  const [width, height] = [LEFT + columns.length * CELL.width, TOP + rows.length * CELL.height];
  const corner = `${shown(rowKey)} ↓ ${shown(columnKey)} →`;
  const columnNames = columns.map((name, column) => {
    const x = LEFT + (column + 0.5) * CELL.width;
    return svg('text', { x, y: TOP - 8, 'text-anchor': 'middle' }, shown(name));
  });
  const rowNames = rows.map((name, row) => {
    const y = TOP + row * CELL.height + BASELINE;
    return svg('text', { x: LEFT - 8, y, 'text-anchor': 'end' }, shown(name));
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}` },
    svg('text', { class: 'label', x: 4, y: 16 }, heat.caption),
    svg('text', { x: LEFT - 8, y: TOP - 8, 'text-anchor': 'end' }, corner),
    ...columnNames,
    ...rowNames,
    ...cells.flatMap((list, row) =>
      list.flatMap((group, column) => drawCell(heat, group, { row, column })),
    ),
  );
}

/**
 * @param {Heat} heat
 * @param {number | null} group
 * @param {{ readonly row: number, readonly column: number }} place
 */
function drawCell({ unit, valueOf, shadeOf }, group, { row, column }) {
  const [x, y] = [LEFT + column * CELL.width, TOP + row * CELL.height];
  const size = { width: CELL.width - CELL.gap, height: CELL.height - CELL.gap };
  const shade = shadeOf(group);
  const look =
    shade === null
      ? { style: 'fill:none;stroke:var(--line)' }
      : { style: 'fill:var(--fresh)', opacity: shade };
  const middle = { x: x + size.width / 2, y: y + BASELINE, 'text-anchor': 'middle' };
  return [
    svg('rect', { x, y, ...size, ...look }),
    svg('text', { class: 'label', ...middle }, inUnit(valueOf(group), unit)),
  ];
}
