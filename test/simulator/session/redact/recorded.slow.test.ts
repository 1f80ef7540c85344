import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { findReferences } from '../../../../src/simulator/replay/references/find-references.ts';
import { STEERING_WORDS } from '../../../../src/simulator/session/calls/steering.ts';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import { allowedTexts } from '../../../../src/simulator/session/redact/allowed.ts';
import { unitsOf } from '../../../../src/simulator/session/redact/units.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { fileUseOf } from './file-use.ts';
import {
  isOnTheBrink,
  outcomeOf,
  type Pair,
  SMALLEST_TOKENS,
  tokensOf,
  tryOut,
} from './outcomes.ts';
import { newRedactor } from './redactors.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../../shared/sessions');
const hasSessions = existsSync(FOLDER);
const note = hasSessions ? '' : ' (skipped: ../shared/sessions is not there)';
/** Recordings whose words were taken out before have none that could stay, and are long. */
const WITHOUT_WORDS = 'redacted-lengths';
/** Of files with many sessions the first ones say enough. */
const LATER_SESSION = /#[1-9]\d*$/;
/** Words that may stay where they steer a call; nothing is replaced by one of them. */
const STEERING = new Set(STEERING_WORDS.flatMap(unitsOf));
/** But for the beginnings of `wouldn't` and the like, which stay. */
const WORD = /\p{L}{6,}(?!\p{L}|['’]t)/gu;

/** Each session with what a redactor of its own makes of it. */
function* readPairs(): Generator<Pair> {
  const files = discoverSessionFiles([FOLDER]).files.filter(
    (file) => !file.includes(WITHOUT_WORDS),
  );
  for (const loaded of loadSessions(files)) {
    if (loaded.state !== 'read' || LATER_SESSION.test(loaded.session.name)) continue;
    yield { session: loaded.session, redacted: newRedactor().redact(loaded.session) };
  }
}

const pairs = hasSessions ? [...readPairs()] : [];

/** Everything that a session says, in order. */
function textsOf(session: Session): readonly string[] {
  const texts: string[] = [];
  JSON.stringify([session.system, session.messages], (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

function lengthsOf(session: Session): readonly (readonly number[])[] {
  return textsOf(session).map((text) => [text.length, Buffer.byteLength(text)]);
}

/** How often a step needs what came before it. */
function countReferences({ messages, system }: Session): number {
  return findReferences({ messages, system, facts: [], weigh: () => 1 }).all.length;
}

/** How many words of six letters or more stand, and how many of them still do after redaction. */
function countWords({ session, redacted }: Pair): { readonly all: number; readonly left: number } {
  const allowed = new Set(allowedTexts());
  const after = textsOf(redacted);
  let [all, left] = [0, 0];
  for (const [index, text] of textsOf(session).entries()) {
    if (allowed.has(text)) continue;
    for (const { 0: word, index: start } of text.matchAll(WORD)) {
      all++;
      const isLeft = after[index]?.slice(start, start + word.length) === word;
      if (isLeft && !STEERING.has(word)) left++;
    }
  }
  return { all, left };
}

describe.skipIf(!hasSessions)(`a redacted session${note}`, () => {
  it('has every text as long as it was, in UTF-16 and in bytes', () => {
    for (const { session, redacted } of pairs)
      expect(lengthsOf(redacted)).toEqual(lengthsOf(session));
  });

  it('has nearly the tokens that it had', () => {
    for (const { session, redacted } of pairs) {
      const [before, after] = [tokensOf(session), tokensOf(redacted)];
      if (before < SMALLEST_TOKENS) continue;
      expect(Math.abs(after - before) / before).toBeLessThan(0.005);
    }
  });

  it('has no word of six letters or more at its place, but for those that say what is done to files', () => {
    const sums = pairs.map(countWords);
    expect(sums.reduce((sum, { all }) => sum + all, 0)).toBeGreaterThan(100_000);
    expect(sums.reduce((sum, { left }) => sum + left, 0)).toBe(0);
  });

  it('is quoted by nearly as many of its own steps', () => {
    for (const { session, redacted } of pairs) {
      const [before, after] = [countReferences(session), countReferences(redacted)];
      expect(Math.abs(after - before)).toBeLessThanOrEqual(2 + before / 100);
    }
  });

  it('reads, writes and reads again as many files as the original', () => {
    const uses = pairs.map(({ session, redacted }) => {
      const use = fileUseOf(session);
      expect({ name: session.name, ...fileUseOf(redacted) }).toEqual({
        name: session.name,
        ...use,
      });
      return use;
    });
    const least = { reads: 400, writes: 400, reReads: 10 };
    for (const key of ['reads', 'writes', 'reReads'] as const) {
      expect(uses.reduce((sum, use) => sum + use[key], 0)).toBeGreaterThan(least[key]);
    }
  });

  const trials = pairs.flatMap(tryOut);

  it.each(['opencode-1.2.16', 'document-002'] as const)(
    'hits the same thresholds, prunes the same and saves as much under %s',
    (name) => {
      const policy = policies[name];
      let compared = 0;
      for (const { before, after, contextTokens } of trials) {
        if (isOnTheBrink(before, policy, contextTokens)) continue;
        const expected = outcomeOf(before, policy, contextTokens);
        const got = outcomeOf(after, policy, contextTokens);
        expect(got.hits).toEqual(expected.hits);
        expect(got.prunes).toEqual(expected.prunes);
        const saved = expected.tokensSaved ?? 0;
        expect(Math.abs((got.tokensSaved ?? 0) - saved)).toBeLessThanOrEqual(Math.abs(saved) / 100);
        compared += expected.hits.overflows === 0 ? 0 : 1;
      }
      expect(compared).toBeGreaterThan(10);
    },
  );
});
