import { type Limits, policies, type PrunePolicy } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { isTruncated } from '../metrics/totals.ts';
import { OWN_SUMMARIES } from '../replay/foreign/compactor.ts';
import { RECORDED } from '../replay/recorded.ts';
import { countOf, formatCount } from './numbers.ts';
import { drawingWidth, fitProse, type Room } from './layout.ts';

interface Column {
  readonly size: number;
  readonly usable: number | null;
}

interface Layout {
  readonly steps: number;
  readonly most: number;
  readonly width: number;
}

export interface SawtoothPlot {
  /** 0 where none was sent. */
  readonly contextTokens: readonly number[];
  /** Before the policy acts; `null` where unknown. */
  readonly usableTokens: readonly (number | null)[];
  readonly isUnlimited: boolean;
  /** Kinds without any are left out. */
  readonly marks: readonly { readonly kind: string; readonly steps: readonly number[] }[];
}

interface MarkKind {
  readonly mark: string;
  readonly one: string;
  readonly several?: string;
  readonly is: (event: RunEvent) => boolean;
}

const MOST_COLUMNS = 72;
const WIDEST_COLUMN = 3;
const AXIS_WIDTH = 2;
const ROWS = 10;
const LABELLED_EACH = 2;
const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const FULL = BLOCKS.length - 1;
const USABLE = '┄';
const NO_LIMIT = 'no usable limit';
/** A usable line that is farther above the largest request than this would flatten it. */
const MOST_HEADROOM = 4;
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const TOKENS_PER_K = 1_000;

export const MARK_KINDS: Readonly<Record<string, MarkKind>> = {
  prune: {
    mark: 'p',
    one: 'prune',
    is: (event) => event.type === 'prune-end' && event.state === 'fired',
  },
  pivot: { mark: 'C', one: 'compaction', is: ({ type }) => type === 'pivot' },
  refusal: { mark: 'x', one: 'refusal', is: ({ type }) => type === 'step-refused' },
  failure: { mark: '!', one: 'failure', is: isFailure },
  'request cut by the provider': {
    mark: '~',
    one: 'request cut by the provider',
    several: 'requests cut by the provider',
    is: isTruncated,
  },
  'model change': { mark: 'm', one: 'model change', is: ({ type }) => type === 'model-changed' },
};

export const PRUNE_MOMENTS: Readonly<Record<PrunePolicy['when'], string>> = {
  'turn-end': 'at the end of a turn',
  'on-overflow': 'on overflow',
  'before-request': 'before a request',
  idle: 'after a pause',
  never: 'never',
};

/** The size of the context over the steps of a run as text, with what the policy did below. */
export function renderSawtooth(events: readonly RunEvent[], room: Room = {}) {
  return drawSawtooth(plotSawtooth(events), room);
}

/** The same of a run of which only its drawing was kept. */
export function drawSawtooth(plot: SawtoothPlot, room: Room = {}) {
  const steps = plot.contextTokens.length;
  if (steps === 0) return 'No request was sent.\n';
  const top = topOf(toColumns(plot, MOST_COLUMNS));
  const labels = Array.from({ length: ROWS }, (_, row) => labelOf(row, top));
  const margin = Math.max(...labels.map((label) => label.length));
  const most = drawingWidth({ most: MOST_COLUMNS, beside: margin + AXIS_WIDTH }, room);
  const width = Math.max(1, Math.min(WIDEST_COLUMN, Math.floor(most / steps)));
  const layout = { steps, most, width };
  const columns = toColumns(plot, layout.most);
  const lines = [
    ...labels.map((label, row) => {
      const cells = columns.map((column) => cellOf(column, row, top).repeat(layout.width));
      return `${label.padStart(margin)} ${label === '' ? '│' : '┤'}${cells.join('')}`;
    }),
    `${'0'.padStart(margin)} └${'─'.repeat(columns.length * layout.width)}`,
    ...plot.marks.map((marks) => `${' '.repeat(margin + AXIS_WIDTH)}${toMarks(marks, layout)}`),
    fitProse(describe(plot, { top, columns: columns.length }), room),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

export function plotSawtooth(events: readonly RunEvent[]): SawtoothPlot {
  const contextTokens: number[] = [];
  const usableTokens: (number | null)[] = [];
  const marks = Object.entries(MARK_KINDS).map(([kind, { is }]) => ({
    kind,
    is,
    at: [0].slice(1),
  }));
  let usable: number | null = null;
  for (const event of events) {
    const { type } = event;
    if (type === 'run-start' || type === 'model-changed') usable = event.usableTokens ?? null;
    const step = Math.max(1, 'step' in event ? event.step : contextTokens.length);
    if (type === 'step-end' || type === 'step-refused' || type === 'step-malformed') {
      while (contextTokens.length < step) contextTokens.push(0);
      const size = 'contextTokens' in event ? event.contextTokens : 0;
      contextTokens[step - 1] = Math.max(contextTokens[step - 1] ?? 0, size);
      while (usableTokens.length < step) usableTokens.push(usable);
    }
    for (const { is, at } of marks) if (is(event)) at.push(step);
  }
  const start = events.find((event) => event.type === 'run-start');
  return {
    contextTokens,
    usableTokens,
    isUnlimited: start !== undefined && hasNoLimit(start, usableTokens),
    marks: marks.flatMap(({ kind, at }) => (at.length === 0 ? [] : [{ kind, steps: at }])),
  };
}

/** Tests if a policy has no limit: it is the control, or the window is known and usable is not. */
export function hasNoLimit(
  {
    policy,
    summarizer,
    limits,
  }: {
    readonly policy: string;
    readonly summarizer: string;
    readonly limits: Pick<Limits, 'contextTokens'>;
  },
  [usable]: SawtoothPlot['usableTokens'],
) {
  // Of somebody's own compaction nobody knows when it acts.
  if (policy === RECORDED || summarizer === OWN_SUMMARIES) return false;
  return usable === null && (policy === policies.none.name || limits.contextTokens > 0);
}

function topOf(columns: readonly Column[]) {
  const largest = Math.max(1, ...columns.map(({ size }) => size));
  const usable = columns.flatMap((column) => column.usable ?? []);
  const drawn = usable.filter((tokens) => tokens <= MOST_HEADROOM * largest);
  const tokens = Math.max(largest, ...drawn);
  const unit = 10 ** Math.floor(Math.log10(tokens));
  return unit * (ROUND.find((factor) => factor * unit >= tokens) ?? 10);
}

function toColumns({ contextTokens, usableTokens }: SawtoothPlot, most: number) {
  const columns: Column[] = [];
  for (const [index, size] of contextTokens.entries()) {
    const place = columnOf(index + 1, { steps: contextTokens.length, most });
    const largest = Math.max(size, columns[place]?.size ?? 0);
    columns[place] = { size: largest, usable: usableTokens[index] ?? null };
  }
  return columns;
}

function columnOf(step: number, { steps, most }: Omit<Layout, 'width'>) {
  const columns = Math.min(steps, most);
  return Math.min(columns - 1, Math.floor(((step - 1) * columns) / steps));
}

function labelOf(row: number, top: number) {
  if (row % LABELLED_EACH !== 0) return '';
  const k = (top * (ROWS - row)) / ROWS / TOKENS_PER_K;
  return `${Number(k.toPrecision(3))}k`;
}

/** The usable line goes through columns that rise above its row. */
function cellOf({ size, usable }: Column, row: number, top: number) {
  const below = ROWS - 1 - row;
  const eighths = Math.round((size / top) * ROWS * FULL) - below * FULL;
  const least = below === 0 && size > 0 ? 1 : 0;
  const level = Math.max(0, Math.min(FULL, Math.max(least, eighths)));
  const isLine = usable !== null && rowAt(usable, top) === row;
  return isLine && (level === 0 || eighths > FULL) ? USABLE : (BLOCKS[level] ?? ' ');
}

/** -1 above the scale. */
function rowAt(tokens: number, top: number) {
  if (tokens > top) return -1;
  return ROWS - 1 - Math.min(ROWS - 1, Math.floor((tokens / top) * ROWS));
}

function toMarks({ kind, steps: marked }: SawtoothPlot['marks'][number], layout: Layout) {
  const places = new Set(marked.map((step) => columnOf(Math.min(step, layout.steps), layout)));
  return Array.from({ length: Math.max(...places) + 1 }, (_, place) =>
    (places.has(place) ? (MARK_KINDS[kind]?.mark ?? '') : ' ').padEnd(layout.width),
  ).join('');
}

function describe(
  { contextTokens: sizes, usableTokens, isUnlimited, marks }: SawtoothPlot,
  { top, columns }: { readonly top: number; readonly columns: number },
) {
  const steps = countOf(sizes.length, 'step');
  const perColumn = Math.ceil(sizes.length / columns);
  const binned = perColumn === 1 ? steps : `${steps}, up to ${perColumn} per column`;
  const counts = marks.map(({ kind, steps: { length } }) => {
    const { mark = '', one = '', several = `${one}s` } = MARK_KINDS[kind] ?? {};
    return `${mark} ${formatCount(length)} ${length === 1 ? one : several}`;
  });
  const usable = isUnlimited ? NO_LIMIT : describeUsable(usableTokens, top);
  return [binned, usable, ...counts].join(' · ');
}

function describeUsable(usableTokens: SawtoothPlot['usableTokens'], top: number) {
  const changes = usableTokens.filter(
    (tokens, index) => index === 0 || tokens !== usableTokens[index - 1],
  );
  const words = changes.map((tokens) => {
    if (tokens === null) return 'unknown';
    return tokens > top ? `${formatCount(tokens)} (above the chart)` : formatCount(tokens);
  });
  return `${USABLE} usable ${words.join(', then ')}`;
}

function isFailure(event: RunEvent) {
  switch (event.type) {
    case 'summary-end':
      return event.state === 'failed' && event.verifies !== true;
    case 'request-failed':
    case 'step-malformed':
    case 'summary-rejected':
      return true;
    default:
      return false;
  }
}
