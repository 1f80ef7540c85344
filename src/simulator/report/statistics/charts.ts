import type { Distribution } from '../../session/statistics/distribution.ts';
import { CONTENT_KINDS } from '../../session/statistics/sample.ts';
import type { WorkloadStatistics } from '../../session/statistics/workload.ts';
import { alignRows } from '../align-rows.ts';
import { nameCell, shareCell, sizeCell } from './cells.ts';
import { KIND_LABELS } from './sections.ts';

interface Scale {
  readonly low: number;
  readonly high: number;
}

const BOX_WIDTH = 60;
const BAR_WIDTH = 40;
const SHOWN_TOOLS = 20;

/** Charts of a terminal: what content consists of, and how sizes spread. */
export function renderCharts(statistics: WorkloadStatistics): readonly string[] {
  const { tools, perTurn, perStep, perSession } = statistics;
  const byTool = Object.entries(tools).map(
    ([tool, { outputTokens }]) => [nameCell(tool), outputTokens] as const,
  );
  return [
    renderShares(statistics),
    renderBoxes('Tokens per tool output', byTool.slice(0, SHOWN_TOOLS)),
    renderBoxes('Tokens', [
      ['per turn', perTurn.contentTokens],
      ['per session', perSession.contentTokens],
      ['growth per step', perStep.recordedGrowthTokens],
      ['first step', perSession.recordedFirstStepTokens],
      ['largest context', perSession.recordedMaxContextTokens],
    ]),
  ].filter((chart) => chart !== '');
}

function renderShares({ content }: WorkloadStatistics): string {
  if (content.tokens === 0) return '';
  const kinds = CONTENT_KINDS.filter((kind) => content.tokensByKind[kind] > 0);
  const rows = kinds.map((kind) => {
    const share = content.tokensByKind[kind] / content.tokens;
    const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH);
    return [KIND_LABELS[kind], `${bar} ${shareCell(share)}`];
  });
  return `Share of content\n${alignRows(rows, () => true)}`;
}

/** One line a distribution: whiskers from p10 to p90, a box from p25 to p75, the median in it. */
function renderBoxes(
  title: string,
  rows: readonly (readonly [string, Distribution | null])[],
): string {
  const known = rows.flatMap(([label, spread]) => (spread === null ? [] : [{ label, spread }]));
  if (known.length === 0) return '';
  const scale = {
    low: Math.max(1, Math.min(...known.map(({ spread }) => spread.p10))),
    high: Math.max(2, ...known.map(({ spread }) => spread.p90)),
  };
  const legend = `${title}: ├ p10, ▒ p25 to p75, █ p50, p90 ┤; logarithmic, ${sizeCell(scale.low)} to ${sizeCell(scale.high)}`;
  const boxes = known.map(({ label, spread }) => [
    label,
    `${boxOf(spread, scale)} ${sizeCell(spread.p50)}`,
  ]);
  return `${legend}\n${alignRows(boxes, () => true)}`;
}

function boxOf(spread: Distribution, scale: Scale): string {
  const [p10, p25, p50, p75, p90] = [
    placeOf(spread.p10, scale),
    placeOf(spread.p25, scale),
    placeOf(spread.p50, scale),
    placeOf(spread.p75, scale),
    placeOf(spread.p90, scale),
  ];
  const marks = Array.from({ length: BOX_WIDTH }, (_, place) => {
    if (place === p50) return '█';
    if (place >= p25 && place <= p75) return '▒';
    if (place === p10) return '├';
    if (place === p90) return '┤';
    return place > p10 && place < p90 ? '─' : ' ';
  });
  return marks.join('');
}

function placeOf(value: number, { low, high }: Scale): number {
  const span = Math.max(Math.log(high / low), Number.EPSILON);
  const place = (Math.log(Math.max(value, low) / low) / span) * (BOX_WIDTH - 1);
  return Math.min(BOX_WIDTH - 1, Math.round(place));
}
