import { FACT_KINDS } from '../../session/facts.ts';
import { fillEnd, widthOf } from '../align-rows.ts';
import { shareCell } from '../statistics/cells.ts';
import type { SummarizersReport } from './summarizers-report.ts';

const BAR_WIDTH = 24;

/** Bars of what each arm kept of each kind of facts after the first pivot; empty where nothing is known. */
export function kindsChart({ arms }: SummarizersReport, shown: (name: string) => string): string {
  const margin = Math.max(0, ...arms.map(({ name }) => widthOf(shown(name))));
  const groups = FACT_KINDS.flatMap((kind) => {
    const lines = arms.flatMap(({ name, kinds }) => {
      const share = kinds[kind]?.mean ?? null;
      return share === null ? [] : [`  ${fillEnd(shown(name), margin)}  ${bar(share)}`];
    });
    return lines.length === 0 ? [] : [[kind, ...lines].join('\n')];
  });
  if (groups.length === 0) return '';
  return ['Kept after the first pivot, by kind of fact', ...groups].join('\n');
}

function bar(share: number): string {
  const width = Math.round(share * BAR_WIDTH);
  return `${'█'.repeat(width).padEnd(BAR_WIDTH, '·')} ${shareCell(share)}`;
}
