/** Laws about prunes and clean-ups: what they may clear, and when. */

import { estimateText } from '../estimate.ts';
import { findNewest, partingOf } from '../history.ts';
import { isCleared, isCompleted, type Part, takenOutOf } from '../message.ts';
import { mayClear, newestOutputs } from '../prune/keep-last.ts';
import { isProtected } from '../prune/cleanups.ts';
import {
  type ChangedPart,
  type ClearedOutput,
  findingsIn,
  type PruneFacts,
  type Law,
  NOTHING,
} from './law.ts';
import type { LawName } from '../policy.ts';

interface MarkedPart extends ChangedPart {
  readonly marks: number;
}

const marksOf = (part: Part) => Number(isCleared(part)) + takenOutOf(part).length;

/** The laws of this file, by name. */
export const pruneLaws = {
  'prune-off-means-never': {
    says: 'With prune off, only clean-ups clear outputs.',
    check: {
      prune: ({ isEnabled, cleared }) =>
        findingsIn(isEnabled ? [] : cleared, 'outputs were cleared with prune off'),
    },
  },
  'prune-keeps-guarded-turns': {
    says: 'A prune clears nothing in the newest turns, which it guards.',
    check: {
      prune: ({ before, cleared, options }) => {
        if (cleared.length === 0 || options.guardTurns <= 0) return NOTHING;
        let turns = 0;
        // Behind the oldest user message of the newest turns; at the oldest message where there are fewer.
        const oldest = findNewest(before, ({ role }) => {
          if (role === 'user') turns += 1;
          return turns === options.guardTurns;
        });
        return findingsIn(
          cleared.filter(({ place }) => place > oldest),
          `outputs of the newest ${options.guardTurns} turns were cleared`,
        );
      },
    },
  },
  'prune-keeps-protected-tools': {
    says: 'A prune clears no output of a protected tool.',
    check: {
      prune: (facts) => {
        const { cleared, changed, options, cleanups = [] } = facts;
        const byPass = cleared.filter(({ part }) => options.protectedTools.includes(part.tool));
        const byCleanups = cleanups.flatMap(({ rules, plan }) => {
          const planned = new Set(plan.partIds);
          return changed.filter(({ part }) => planned.has(part.id) && isProtected(part, rules));
        });
        return findingsIn([...byPass, ...byCleanups], 'parts of protected tools were cleared');
      },
    },
  },
  'prune-keeps-newest-outputs': {
    says: 'A prune that keeps a number of newest outputs clears none of them.',
    check: {
      prune: ({ after, cleared, keepLast }) => {
        if (cleared.length === 0 || keepLast === undefined) return NOTHING;
        const kept = newestOutputs(after, keepLast);
        return findingsIn(
          cleared.filter(({ part }) => kept.has(part.id) || !mayClear(part, keepLast)),
          `outputs among the newest ${keepLast.outputs} or of other tools were cleared`,
        );
      },
    },
  },
  'prune-saves-enough': {
    says: 'A prune saves nothing, or more than the minimum.',
    check: {
      prune: ({ cleared, options, estimator }) => {
        const { minimumTokens } = options;
        let savedTokens = 0;
        for (const { part } of cleared)
          savedTokens += estimateText(part.state.output, { estimator });
        return savedTokens === 0 || savedTokens > minimumTokens
          ? NOTHING
          : findingsIn(cleared, `${savedTokens} tokens were saved, no more than ${minimumTokens}`);
      },
    },
  },
  'prune-clears-what-it-planned': {
    says: 'A prune that fires clears what it planned; any other clears nothing.',
    check: {
      prune: ({ plan, changed }) => {
        const planned = new Set(plan.state === 'fire' ? plan.partIds : []);
        const isAsPlanned =
          planned.size === changed.length && changed.every(({ part }) => planned.has(part.id));
        if (isAsPlanned) return NOTHING;
        const message = `${changed.length} parts were cleared, ${planned.size} planned`;
        return [{ message, messageIds: changed.map(({ id }) => id) }];
      },
    },
  },
} satisfies Partial<Record<LawName, Law>>;

/** The outputs among changed parts that no clean-up planned. */
export function clearedIn(
  changed: readonly ChangedPart[],
  { cleanups = [] }: Pick<PruneFacts, 'cleanups'>,
): readonly ClearedOutput[] {
  const planned = new Set(cleanups.flatMap(({ plan }) => plan.partIds));
  return changed.filter(
    (one): one is ClearedOutput => isCompleted(one.part) && !planned.has(one.part.id),
  );
}

/** The parts that a prune changed, by what it made of the history. */
export function changedBy(facts: PruneFacts): readonly ChangedPart[] {
  const { from, before, after } = partingOf(facts.before, facts.after);
  const { added } = facts;
  const changed: MarkedPart[] = [];
  const known = new Map<string, number>();
  for (const [index, now] of after.entries()) {
    const old = before[index] ?? (now.id === added?.id ? added : undefined);
    if (old === now) continue;
    for (const [nth, part] of now.parts.entries()) {
      const [was, marks] = [old?.parts[nth], marksOf(part)];
      if (was === part || marks === 0) continue;
      // A pass that overwrites what it clears leaves nothing to weigh.
      const original = was?.id === part.id ? was : part;
      changed.push({ id: now.id, place: from + index, part: original, marks });
    }
    for (const part of old?.parts ?? []) {
      if (marksOf(part) > 0) known.set(part.id, marksOf(part));
    }
  }
  return changed.filter(({ part, marks }) => marks > (known.get(part.id) ?? 0));
}
