import { generateSession } from '../../simulator/scenario/workload/generate-session.ts';
import type { Workload } from '../../simulator/scenario/workload/workload.ts';
import { writeSession } from '../../simulator/session/canonical/write.ts';
import type { Session } from '../../simulator/session/session.ts';
import { charsEstimator } from '../../simulator/session/statistics/estimator.ts';
import type { SessionSample } from '../../simulator/session/statistics/sample.ts';
import { sampleSession } from '../../simulator/session/statistics/sample-session.ts';
import { touchesOf } from '../../simulator/summarizer/extractive/file-touch.ts';
import type { CliIo } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';
import { writePieces } from '../process/write-pieces.ts';
import type { SessionStore } from './store.ts';
import { isStopped } from '../process/is-stopped.ts';

/** What is generated, and where it goes. */
export interface GeneratePlan {
  readonly workload: Workload;
  readonly sessions: number;
  readonly seed: number;
  /** Absent where sessions go to standard output. */
  readonly store?: SessionStore | undefined;
  /** Whether somebody wants to know how near the sessions come. */
  readonly isSampled: boolean;
}

/** How it ended. */
export type GenerateResult =
  | { readonly state: 'done'; readonly samples: readonly SessionSample[] }
  | { readonly state: 'interrupted' };

/** Generates sessions one after another; only their sizes are kept. Throws `HarnessError` where one cannot be written. */
export async function generateSessions(plan: GeneratePlan, io: CliIo): Promise<GenerateResult> {
  const { workload, sessions, seed, isSampled } = plan;
  const samples: SessionSample[] = [];
  const indexes = Array.from({ length: sessions }, (_, index) => index);
  for (const index of inTurn(indexes, () => workload.name, io)) {
    if (await isStopped(io)) return { state: 'interrupted' };
    const session = generateSession(workload, { seed, index });
    await write(session, plan, io);
    if (isSampled) samples.push(sampleSession(session, { estimator: charsEstimator, touchesOf }));
  }
  return io.signal.aborted ? { state: 'interrupted' } : { state: 'done', samples };
}

async function write(session: Session, { store }: GeneratePlan, io: CliIo): Promise<void> {
  if (store === undefined) await writePieces(io, writeSession(session));
  else store.write(`${session.name}.jsonl`, writeSession(session));
}
