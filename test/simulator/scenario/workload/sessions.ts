import { sum } from '../../../../src/simulator/lib/collections.ts';
import type { HitRate } from '../../../../src/simulator/metrics/published.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import type {
  SessionShape,
  Workload,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { writeSession } from '../../../../src/simulator/session/formats/canonical-lines.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import {
  sampleSession,
  type SessionSample,
} from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';

/** The first sessions of a workload. */
export function generate(workload: Workload, count: number, seed = 1): readonly Session[] {
  return Array.from({ length: count }, (_, index) => generateSession(workload, { seed, index }));
}

/** Their sizes; the sessions are let go one by one. */
export function generateSamples(
  workload: Workload,
  count: number,
  seed = 1,
): readonly SessionSample[] {
  return Array.from({ length: count }, (_, index) =>
    sample(generateSession(workload, { seed, index })),
  );
}

/** The sizes of a session. */
export function sample(session: Session): SessionSample {
  return sampleSession(session, charsEstimator);
}

/** The content of sessions on average. */
export function contentOf(shapes: readonly SessionShape[]): number {
  return sum(shapes.map(({ contentTokens }) => contentTokens!)) / shapes.length;
}

/** A session as it is written down. */
export function textOf(session: Session): string {
  return [...writeSession(session)].join('');
}

/** The rate of a threshold, or of the agent's own compactions where that is `null`. */
export function rateOf(rates: readonly HitRate[], tokens: number | null): HitRate {
  return rates.find(({ thresholdTokens }) => thresholdTokens === tokens)!;
}
