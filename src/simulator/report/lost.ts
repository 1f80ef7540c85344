import type { MetricValues } from '../metrics/metrics.ts';
import type { NumberColumn } from './columns.ts';
import { countOf, formatCount, formatShare, formatUsd, formatValue } from './numbers.ts';
import { shownText } from './shown-text.ts';
import type { PolicyTotal } from './totals.ts';

type Name = keyof MetricValues;

/** What runs lost of what their steps needed, each beside the bound where there is one. */
export const lostColumns: readonly NumberColumn[] = [
  { title: 'Misses', rank: 1, of: withBound('misses', 'boundMisses', formatCount) },
  {
    title: 'of references',
    name: 'Misses of references',
    rank: 3,
    of: ({ missRate }) => formatValue(missRate, 'ratio'),
  },
  {
    title: 'per eviction',
    name: 'Misses per eviction',
    rank: 8,
    of: ({ missesPerEviction }) => formatValue(missesPerEviction, 'factor'),
  },
  {
    title: 'of their tokens',
    name: 'Misses of tokens',
    rank: 9,
    of: ({ missedTokenRate }) => formatValue(missedTokenRate, 'ratio'),
  },
  { title: 'Regret', rank: 2, of: withBound('regretUsd', 'boundRegretUsd', formatUsd) },
  {
    title: 'in time',
    name: 'Regret in time',
    rank: 10,
    of: ({ regretMs }) => formatValue(regretMs, 'ms'),
  },
  { title: 'Re-reads', rank: 6, of: withShare('fileRereads', 'rereadRate') },
  { title: 'Loops', rank: 7, of: ({ loops }) => formatCount(loops) },
  { title: 'Constraints gone', rank: 4, of: ofAll('goneConstraints', 'constraints') },
  { title: 'Paths gone', rank: 5, of: withShare('gonePaths', 'gonePathRate') },
];

/** What each policy's runs lost, one sentence a policy; nothing where no part was missed. */
export function describeMisses(totals: readonly PolicyTotal[]): readonly string[] {
  return totals.flatMap(({ policy, metrics }) => {
    if (!metrics.misses) return [];
    const { references, missRate, missesPerEviction, missedTokenRate, loops } = metrics;
    const [missed, tokens] = [missRate, missedTokenRate].map((rate) => formatValue(rate, 'ratio'));
    const parts = [
      `${valueOf('Misses', metrics)} of ${formatCount(references)} references missed (${missed})`,
      `${formatValue(missesPerEviction, 'factor')} per evicted part`,
      `${tokens} of referenced tokens`,
      `regret ${valueOf('Regret', metrics)} and ${valueOf('in time', metrics)}`,
      `${valueOf('Re-reads', metrics)} file re-reads`,
      loops === null ? 'loops unknown' : countOf(loops, 'loop'),
    ];
    return [`Lost under ${shownText(policy)}: ${parts.join(', ')}.`];
  });
}

/**
 * What of the user's constraints and of the files of the work no message, call or summary in view names any more, one
 * sentence a policy. Outputs are not looked through.
 */
export function describeLost(totals: readonly PolicyTotal[]): readonly string[] {
  return totals.flatMap(({ policy, metrics }) => {
    const { goneConstraints, constraints, gonePaths, paths } = metrics;
    if (!goneConstraints && !gonePaths) return [];
    const wishes = `${formatCount(goneConstraints)} of ${formatCount(constraints)} user constraints`;
    const files = `${formatShare(gonePaths ?? 0, paths ?? 0)} of ${formatCount(paths)} paths`;
    return [
      `No longer named at the end, outputs aside, under ${shownText(policy)}: ${wishes}, ${files}.`,
    ];
  });
}

function valueOf(title: string, metrics: MetricValues): string {
  return lostColumns.find((column) => column.title === title)?.of(metrics) ?? '';
}

/** What a prune with knowledge of the future would have come to stands beside what was lost. */
function withBound(
  name: Name,
  bound: Name,
  format: (value: number | null) => string,
): NumberColumn['of'] {
  return ({ [name]: value, [bound]: best }) => {
    const shown = format(value);
    return !value || best === null ? shown : `${shown} (${format(best)} at best)`;
  };
}

function withShare(name: Name, share: Name): NumberColumn['of'] {
  return ({ [name]: value, [share]: ratio }) => {
    const shown = formatCount(value);
    return !value || ratio === null ? shown : `${shown} (${formatValue(ratio, 'ratio')})`;
  };
}

function ofAll(name: Name, all: Name): NumberColumn['of'] {
  return ({ [name]: value, [all]: total }) =>
    total ? `${formatCount(value)} of ${formatCount(total)}` : formatCount(value);
}
