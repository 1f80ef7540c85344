/** Sentences on what is wrong with runs: the cause with its numbers, and one thing to do. */

import { groupBy, sum } from '../lib/collections.ts';
import { type Cause, type Finding, worstFirst } from '../metrics/diagnosis.ts';
import type { Block, Text } from './document.ts';
import { countOf, formatCount, formatPercent, formatUsd } from './numbers.ts';

/** A run with what is wrong with it. */
export interface Diagnosed {
  readonly session: string;
  readonly findings?: readonly Finding[] | undefined;
}

/** Names the content that a finding blames, as far as it is known where it is shown; texts stay there. */
export type NameBlamed = (session: string, finding: Finding) => string | undefined;

interface Sentences<Found> {
  /** One sentence, without its full stop. */
  readonly says: (finding: Found, blamed?: string) => Text;
  /** One thing to do. */
  readonly todo: (finding: Found, blamed?: string) => string;
}

const MOST_SHOWN = 2;

const PARTS = {
  overhead: 'system prompt and tools fill',
  summary: 'the summary fills',
  tail: 'what is kept word for word fills',
} as const;

const SENTENCES: {
  readonly [Name in Cause]: Sentences<Finding & { readonly cause: Name }>;
} = {
  floor: {
    says: ({ hits, of, steps, ineffective, least, most, part, partTokens, limitTokens }) => {
      const [own, limit] = [partTokens, limitTokens].map(formatCount);
      if (partTokens > limitTokens) {
        const count = `${formatCount(Math.max(ineffective, hits))} of ${countOf(of, 'compaction')}`;
        return `${count} were ineffective, in ${countOf(steps, 'step')}: ${PARTS[part]} ${own} tokens, above the usable ${limit}`;
      }
      const room = least === most ? countOf(least ?? 0, 'step') : `${least} to ${most} steps`;
      const left = least === undefined ? 'left little room' : `left room for ${room}`;
      return `${countOf(hits, 'compaction')} in ${countOf(steps, 'step')} ${left}: ${PARTS[part]} ${own} of the ${limit} at which it compacts`;
    },
    todo: ({ part }) =>
      ({
        overhead: 'Only fewer tools or a larger window help: no summary gets below them.',
        summary: 'Ask for a shorter summary, by its prompt or a limit on its length.',
        tail: 'Keep a smaller tail, or cap what is in it.',
      })[part],
  },
  refilled: {
    says: ({ hits, of, tokens, roomTokens, step }, blamed = 'the content of one step') =>
      `${formatCount(hits)} of ${countOf(of, 'compaction')} filled up again within 3 steps: ${blamed} at step ${formatCount(step)} is ${formatCount(tokens)} tokens, of ${formatCount(roomTokens)} free`,
    todo: (_, blamed) => `Cap or split ${blamed === undefined ? 'such outputs' : 'it'}.`,
  },
};

/** The worst findings of some runs with what to do first, the others as details; none where nothing is wrong. */
export function diagnosisBlocks(runs: readonly Diagnosed[], name?: NameBlamed): readonly Block[] {
  const causes = diagnosisLines(runs, name);
  const [shown, others] = [causes.slice(0, MOST_SHOWN), causes.slice(MOST_SHOWN)];
  return [
    { type: 'lines', lines: shown.flat(), isWrapped: true, color: 'yellow' },
    { type: 'lines', lines: others.flat(), isWrapped: true, isDetail: true },
  ];
}

/** The sentences of each cause, the worst first. */
export function diagnosisLines(
  runs: readonly Diagnosed[],
  name?: NameBlamed,
): readonly (readonly Text[])[] {
  const sessions = new Set(runs.map(({ session }) => session)).size;
  const all = runs.flatMap(({ session, findings = [] }) =>
    findings.map((finding) => ({ session, finding })),
  );
  const causes = [...groupBy(all, ({ finding }) => finding.cause).values()].map((own) => {
    const [worst] = own.toSorted((a, b) => worstFirst(a.finding, b.finding));
    return {
      worst,
      usd: sum(own.map(({ finding }) => finding.costUsd ?? 0)),
      hits: sum(own.map(({ finding }) => finding.hits)),
      count: new Set(own.map(({ session }) => session)).size,
    };
  });
  return causes
    .toSorted((one, other) => other.usd - one.usd || other.hits - one.hits)
    .flatMap(({ worst, usd, count }) => {
      if (worst === undefined) return [];
      const { session, finding } = worst;
      const blamed = name?.(session, finding);
      const { says, todo } = sentencesOf(finding);
      const lead =
        sessions === 1
          ? ''
          : `In ${formatCount(count)} of ${countOf(sessions, 'session')} (${formatPercent(count / sessions)}), for ${formatUsd(usd)}; the worst: `;
      return [
        [[lead, ...[says(finding, blamed)].flat(), '.'], ...moreOf(finding), todo(finding, blamed)],
      ];
    });
}

function moreOf({ dearer }: Finding): readonly string[] {
  if (dearer === undefined) return [];
  const { costUsd, neverUsd } = dearer;
  return [`It costs ${formatUsd(costUsd)}, more than never compacting (${formatUsd(neverUsd)}).`];
}

/** The compiler cannot see that a finding and its row have one cause. */
function sentencesOf({ cause }: Finding): Sentences<Finding> {
  return SENTENCES[cause] as Sentences<Finding>;
}
