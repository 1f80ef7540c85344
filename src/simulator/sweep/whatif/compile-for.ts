import { compileSession } from '../../replay/compile.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import { type Counters, createCounters } from '../../tokens/counters.ts';
import { compileOptionsFor } from '../run/prepare-runs.ts';

/** A session compiled with the tokenizer of a model; what was counted is forgotten without counters. */
export async function compileFor(
  model: string,
  session: Session,
  counters: Counters = createCounters(),
): Promise<Trace> {
  return compileSession(session, compileOptionsFor(model, await counters.of(model)));
}
