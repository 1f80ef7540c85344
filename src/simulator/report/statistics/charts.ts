import { CONTENT_KINDS } from '../../session/statistics/sample.ts';
import type { Distribution, WorkloadStatistics } from '../../session/statistics/workload.ts';
import { alignRows, GAP, widthsOf } from '../align-rows.ts';
import { drawingWidth } from '../drawing-width.ts';
import type { Terminal } from '../report.ts';
import { fitProse } from '../wrap-prose.ts';
import { LONGEST_NAME, nameCell, shareCell, sizeCell } from './cells.ts';
import { KIND_LABELS } from './sections.ts';

interface Scale {
  readonly low: number;
  readonly high: number;
  /** In characters. */
  readonly width: number;
}

/** A line of a chart: what is drawn stands between its name and its number. */
interface Line {
  readonly name: string;
  readonly number: string;
  readonly draw: (width: number) => string;
}

const BOX_WIDTH = 60;
const BAR_WIDTH = 40;
const SHOWN_TOOLS = 20;
/** Of a terminal without room, how much names may take. */
const NAME_SHARE = 1 / 2;

/** Charts of a terminal: what content consists of, and how sizes spread. */
export function renderCharts(
  statistics: WorkloadStatistics,
  terminal: Terminal,
): readonly string[] {
  const { tools, perTurn, perStep, perSession } = statistics;
  const byTool = Object.entries(tools).map(
    ([tool, { outputTokens }]) => [nameCell(tool, longestName(terminal)), outputTokens] as const,
  );
  return [
    renderShares(statistics, terminal),
    renderBoxes('Tokens per tool output', byTool.slice(0, SHOWN_TOOLS), terminal),
    renderBoxes(
      'Tokens',
      [
        ['per turn', perTurn.contentTokens],
        ['per session', perSession.contentTokens],
        ['growth per step', perStep.recordedGrowthTokens],
        ['first step', perSession.recordedFirstStepTokens],
        ['largest context', perSession.recordedMaxContextTokens],
      ],
      terminal,
    ),
  ].filter((chart) => chart !== '');
}

function longestName({ terminalColumns = Infinity }: Terminal): number {
  return Math.min(LONGEST_NAME, Math.floor(terminalColumns * NAME_SHARE));
}

/** Lines as wide as the terminal has room for, each drawing as wide as the others. */
function drawLines(lines: readonly Line[], most: number, terminal: Terminal): string {
  const [names = 0, numbers = 0] = widthsOf(lines.map(({ name, number }) => [name, number]));
  const width = drawingWidth({ most, beside: names + GAP.length + 1 + numbers }, terminal);
  const rows = lines.map(({ name, number, draw }) => [name, `${draw(width)} ${number}`]);
  return alignRows(rows, () => true);
}

function renderShares({ content }: WorkloadStatistics, terminal: Terminal): string {
  if (content.tokens === 0) return '';
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const lines = kinds.map((kind) => {
    const share = content.tokensByKind[kind] / content.tokens;
    const draw = (width: number) => '█'.repeat(Math.round(share * width)).padEnd(width);
    return { name: KIND_LABELS[kind], number: shareCell(share), draw };
  });
  return `Share of content\n${drawLines(lines, BAR_WIDTH, terminal)}`;
}

/** One line a distribution: whiskers from p10 to p90, a box from p25 to p75, the median in it. */
function renderBoxes(
  title: string,
  rows: readonly (readonly [string, Distribution | null])[],
  terminal: Terminal,
): string {
  const known = rows.flatMap(([label, spread]) => (spread === null ? [] : [{ label, spread }]));
  if (known.length === 0) return '';
  const scale = {
    low: Math.max(1, Math.min(...known.map(({ spread }) => spread.p10))),
    high: Math.max(2, ...known.map(({ spread }) => spread.p90)),
  };
  const legend = `${title}: ├ p10, ▒ p25 to p75, █ p50, p90 ┤; logarithmic, ${sizeCell(scale.low)} to ${sizeCell(scale.high)}`;
  const lines = known.map(({ label, spread }) => ({
    name: label,
    number: sizeCell(spread.p50),
    draw: (width: number) => boxOf(spread, { ...scale, width }),
  }));
  return `${fitProse(legend, terminal)}\n${drawLines(lines, BOX_WIDTH, terminal)}`;
}

function boxOf(spread: Distribution, scale: Scale): string {
  const [p10, p25, p50, p75, p90] = [
    placeOf(spread.p10, scale),
    placeOf(spread.p25, scale),
    placeOf(spread.p50, scale),
    placeOf(spread.p75, scale),
    placeOf(spread.p90, scale),
  ];
  const marks = Array.from({ length: scale.width }, (_, place) => {
    if (place === p50) return '█';
    if (place >= p25 && place <= p75) return '▒';
    if (place === p10) return '├';
    if (place === p90) return '┤';
    return place > p10 && place < p90 ? '─' : ' ';
  });
  return marks.join('');
}

function placeOf(value: number, { low, high, width }: Scale): number {
  const span = Math.max(Math.log(high / low), Number.EPSILON);
  const place = (Math.log(Math.max(value, low) / low) / span) * (width - 1);
  return Math.min(width - 1, Math.round(place));
}
