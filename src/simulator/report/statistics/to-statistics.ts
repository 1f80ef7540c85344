import type { Evidence } from '../../events.ts';
import { groupBy } from '../../lib/collections.ts';
import { countedSamples, type Gathering } from '../../session/statistics/gathering.ts';
import { figuresOf, poolSamples } from '../../session/statistics/pool.ts';
import type { Estimator, SessionSample } from '../../session/statistics/sample.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import type { UnreadInput } from '../report.ts';
import type { Statistics } from './statistics-report.ts';

/** The statistics of what was gathered; of growing copies, the longest counts, and what sessions share counts once. */
export function toStatistics(
  gathering: Gathering,
  { name }: Estimator,
  unread: readonly UnreadInput[],
): Statistics {
  const { repeats, own } = gathering;
  const counted = countedSamples(gathering);
  const pool = (some: readonly SessionSample[]) =>
    poolSamples(
      some,
      name,
      some.map((sample) => own.get(sample.name) ?? sample),
    );
  const byFormat = groupBy(counted, ({ format }) => format);
  return {
    estimator: { name, evidence: evidenceOf(counted, name) },
    overall: pool(counted),
    byFormat: Object.fromEntries([...byFormat].map(([format, some]) => [format, pool(some)])),
    sessions: counted.map(figuresOf),
    ...repeats,
    unread,
  };
}

/** A count is measured only where every session's model is known to count so. */
function evidenceOf(samples: readonly SessionSample[], name: Estimator['name']): Evidence {
  const isOwn = samples.every(({ model = '' }) => {
    const own = tokenizerOf(model);
    return own.name === name && own.evidence === 'measured';
  });
  return isOwn && samples.length > 0 ? 'measured' : 'estimated';
}
