import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../engine/index.ts';
import type { RunEvent, RunState } from '../../events.ts';
import type { MetricValues } from '../../metrics/metrics.ts';
import type { MadeWith, ScenarioRunResult } from '../../report/check/result.ts';
import { hashPrompts } from '../../report/provenance.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';
import { toLog, writeLine } from './log.ts';

/** One run of a scenario as a baseline keeps it. */
export interface CaseRecord {
  readonly run: string;
  readonly made: CaseProvenance;
  readonly state: RunState;
  readonly reason?: string;
  /** Over all fields of all events but the place of the session. */
  readonly digest: string;
  readonly metrics: MetricValues;
  /** The events, a line each. */
  readonly log: readonly string[];
}

/** What would have to be the same for two runs to be compared, and what is told of them besides. */
export interface CaseProvenance {
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: number;
  readonly tokenizer: string;
  /** How the policy estimates; that may change as the policy may. */
  readonly estimator: string;
  /** Of each prompt text by its name. */
  readonly prompts: Readonly<Record<string, string>>;
}

const DIGEST_LENGTH = 16;

/** A run as a baseline keeps it. */
export function toCaseRecord(result: ScenarioRunResult): CaseRecord {
  const { name, state, reason, metrics, events, made } = result;
  return {
    run: name,
    made: provenanceOf(made),
    state,
    ...(reason !== undefined && { reason }),
    digest: digestOf(events),
    metrics,
    log: toLog(events).map(writeLine),
  };
}

/** The hash of some events in their order, with all their fields but where the session lies on a machine. */
export function digestOf(events: readonly RunEvent[]): string {
  const hash = createHash('sha256');
  for (const event of events) hash.update(`${canonicalJson(withoutPlace(event))}\n`);
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
}

function withoutPlace(event: RunEvent): Partial<RunEvent> {
  if (event.type !== 'run-start') return event;
  const { session: _, ...fields } = event;
  return fields;
}

function provenanceOf(made: MadeWith): CaseProvenance {
  const { resolvedPolicy, policy, model, summarizer, seed } = made;
  return {
    policy,
    model,
    summarizer,
    seed,
    tokenizer: tokenizerOf(model).name,
    estimator: canonicalJson(resolvedPolicy.estimator),
    prompts: hashPrompts([resolvedPolicy]),
  };
}
