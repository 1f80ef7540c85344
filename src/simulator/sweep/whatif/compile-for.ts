import { compileSession } from '../../replay/compile.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Session } from '../../session/session.ts';
import { createCountCache } from '../../tokens/count-cache.ts';
import { loadTokenizer } from '../../tokens/tokenizer.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';

/** A session compiled with the tokenizer of a model. */
export async function compileFor(model: string, session: Session): Promise<Trace> {
  const { name: tokenizer, evidence: tokenizerEvidence } = tokenizerOf(model);
  const cache = createCountCache(await loadTokenizer(tokenizer));
  const count = (text: string) => cache.count(text);
  return compileSession(session, { tokenizer, tokenizerEvidence, count });
}
