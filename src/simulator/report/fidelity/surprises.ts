import type { SessionFidelity } from '../../metrics/fidelity.ts';
import type { Surprise } from '../../replay/predict.ts';
import { countOf } from '../numbers.ts';

/** What happened, and why nothing foretells it; whether the steps are left out of the errors or counted in them. */
const EXPLANATIONS = {
  'after-compaction':
    'right after a compaction: what came with the summary, such as files re-attached in memory, is not recorded (left out)',
  'after-clearing':
    'right after old outputs were cleared: what replaced them is not recorded (left out)',
  'other-model':
    'right after a change of model: another one counts otherwise, and has a cache of its own (left out)',
  'context-shrank':
    'with less context than before and no compaction recorded: something was removed in memory (counted)',
  'cache-lost':
    'with a cached prefix lost within its lifetime: a restart, a changed prompt or the provider itself (counted)',
} as const satisfies Record<Surprise, string>;

const SURPRISES: readonly Surprise[] = [
  'after-compaction',
  'after-clearing',
  'other-model',
  'context-shrank',
  'cache-lost',
];

/** One sentence for each kind of step that could not be foretold. */
export function describeSurprises(sessions: readonly SessionFidelity[]): readonly string[] {
  return SURPRISES.flatMap((surprise) => {
    const steps = sessions.reduce((total, { surprises }) => total + (surprises[surprise] ?? 0), 0);
    if (steps === 0) return [];
    return [`${countOf(steps, 'step')} ${EXPLANATIONS[surprise]}`];
  });
}
