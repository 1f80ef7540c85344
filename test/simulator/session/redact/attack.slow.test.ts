import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../../../src/engine/index.ts';
import { countEach, keepIn } from '../../../../src/simulator/lib/collections.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workload.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { newRedactor } from './redactors.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** A text that everybody has, as the system prompt. */
const SYSTEM = ['README.md', 'docs/sessions.md', 'docs/summarizers.md', 'CONTRIBUTING.md']
  .map((file) => readFileSync(resolve(ROOT, file), 'utf8'))
  .join('\n');
const WORD = /[\p{L}\p{N}]{2,}/gu;
const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

const textsOfPart = (part: Part): readonly string[] => {
  if (part.type === 'text') return [part.text];
  return part.type === 'tool' && part.state.status === 'completed' ? [part.state.output] : [];
};
const textsOf = ({ messages }: Session): readonly string[] =>
  messages.flatMap(({ parts }) => parts.flatMap(textsOfPart));

/** The likeliest word of each filler, by a text of which both are known. */
function readCode(text: string, filled: string): ReadonlyMap<string, string> {
  const fillers = wordsOf(filled);
  const wordsBy = new Map<string, string[]>();
  for (const [index, word] of wordsOf(text).entries())
    keepIn(wordsBy, fillers[index] ?? '', () => []).push(word);
  return new Map([...wordsBy].map(([filler, words]) => [filler, mostFrequent(words)]));
}

function mostFrequent(words: readonly string[]): string {
  const [[word] = ['']] = [...countEach(words)].toSorted(([, one], [, other]) => other - one);
  return word;
}

/** The share of the words of texts that a code gives back. */
function readBack(
  code: ReadonlyMap<string, string>,
  texts: readonly string[],
  filled: readonly string[],
) {
  let [all, read] = [0, 0];
  for (const [index, text] of texts.entries()) {
    const fillers = wordsOf(filled[index] ?? '');
    for (const [at, word] of wordsOf(text).entries()) {
      if (fillers[at] === word) continue;
      all++;
      if (code.get(fillers[at] ?? '') === word) read++;
    }
  }
  return { all, share: read / all };
}

describe('somebody who has the system prompt of a redacted session', () => {
  it.each([1, 2])('reads back few other words of session %i', (index) => {
    const generated = generateSession(findWorkload('claude-code'), { seed: 1, index });
    const session = { ...generated, system: SYSTEM };
    const redacted = newRedactor().redact(session);
    const code = readCode(SYSTEM, redacted.system ?? '');
    // The attack itself works: it reads the prompt that it was made from.
    expect(readBack(code, [SYSTEM], [redacted.system ?? '']).share).toBeGreaterThan(0.2);
    const { all, share } = readBack(code, textsOf(session), textsOf(redacted));
    expect(all).toBeGreaterThan(5_000);
    expect(share).toBeLessThan(0.03);
  });

  it('reads back few words of another message where one is known', () => {
    const session = generateSession(findWorkload('claude-code'), { seed: 1, index: 1 });
    const texts = textsOf(session);
    const filled = textsOf(newRedactor().redact(session));
    const longest = texts.reduce(
      (best, text, at) => (text.length > (texts[best]?.length ?? 0) ? at : best),
      0,
    );
    const code = readCode(texts[longest] ?? '', filled[longest] ?? '');
    const { share } = readBack(code, texts.toSpliced(longest, 1), filled.toSpliced(longest, 1));
    expect(share).toBeLessThan(0.45);
  });
});
