/** A session with the facts that a summary of it should keep. */

import type { Message } from '../../../engine/index.ts';
import { shortHash } from '../../content-hash.ts';
import type { Source } from '../../metrics/quality/entities/source.ts';
import { indexSource } from '../../metrics/quality/entities/source.ts';
import { extractFacts } from '../../metrics/quality/entities/extract-facts.ts';
import { sourceText } from '../../metrics/quality/view-text.ts';
import { compileSession, type CompileOptions } from '../../replay/compile.ts';
import type { Trace } from '../../replay/trace.ts';
import type { PlantedFact } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import { artifactsOfSession, type DatedArtifact } from './session-artifacts.ts';

/** A session on which summarizers are compared. */
export interface SummaryScenario {
  readonly name: string;
  readonly hash: string;
  /** The first by name of its family; absent where it stands alone. */
  readonly family?: string | undefined;
  readonly trace: Trace;
  readonly facts: readonly PlantedFact[];
  readonly factSource: 'planted' | 'extracted';
  readonly source: Source;
  readonly artifacts: readonly DatedArtifact[];
  /** Which step each message belongs to, by its id; of a user, the step before. */
  readonly stepOf: ReadonlyMap<string, number>;
  readonly steps: number;
}

const HASH_LENGTH = 12;

/** Makes a session ready: compiled, with what is to be kept of it. */
export function prepareScenario(session: Session, options: CompileOptions): SummaryScenario {
  const trace = compileSession(session, options);
  const { facts: planted, messages } = session;
  const isPlanted = planted !== undefined && planted.length > 0;
  const stepOf = numberSteps(trace);
  return {
    name: session.name,
    hash: summaryHash({ messages, facts: planted ?? [] }),
    trace,
    facts: isPlanted ? planted : extractFacts(messages),
    factSource: isPlanted ? 'planted' : 'extracted',
    source: indexSource(sourceText(messages)),
    artifacts: artifactsOfSession(messages, stepOf),
    stepOf,
    steps: Math.max(0, ...stepOf.values()),
  };
}

/** The newest step of some messages; 0 where none of them is of one. */
export function lastStep({ stepOf }: SummaryScenario, messages: readonly Message[]): number {
  return messages.reduce((last, { id }) => Math.max(last, stepOf.get(id) ?? 0), 0);
}

/** The hash of any plain value as rows of summarizers have it. */
export function summaryHash(value: unknown): string {
  return shortHash(value, HASH_LENGTH);
}

function numberSteps(trace: Trace): ReadonlyMap<string, number> {
  const stepOf = new Map<string, number>();
  let step = 0;
  for (const turn of trace.turns) {
    stepOf.set(turn.message.id, step);
    for (const { message } of turn.steps) {
      step += 1;
      stepOf.set(message.id, step);
    }
  }
  return stepOf;
}
