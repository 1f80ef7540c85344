import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Limits, type Policy, policies } from '../../../../src/engine/index.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { measure } from '../../../../src/simulator/metrics/metrics.ts';
import type { RunTotals } from '../../../../src/simulator/metrics/totals.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { type CompileOptions, compileSession } from '../../../../src/simulator/replay/compile.ts';
import { countPart } from '../../../../src/simulator/replay/count.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import { discoverSessionFiles } from '../../../../src/simulator/session/discover.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import { allowedTexts } from '../../../../src/simulator/session/redact/allowed.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { createCountCache } from '../../../../src/simulator/tokens/count-cache.ts';
import { newRedactor, tokenizer } from './redactors.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../../shared/sessions');
const hasSessions = existsSync(FOLDER);
const note = hasSessions ? '' : ' (skipped: ../shared/sessions is not there)';
const TIMEOUT_MS = 120_000;
/** Recordings whose words were taken out before have none that could stay, and are long. */
const WITHOUT_WORDS = 'redacted-lengths';
/** Of files with many sessions the first ones say enough. */
const LATER_SESSION = /#[1-9]\d*$/;
/** A session too small for one token to be less than a hundredth of it. */
const SMALLEST_TOKENS = 1_000;
const SUMMARY_TOKENS = 300;
/** But for the beginnings of `wouldn't` and the like, which stay. */
const WORD = /\p{L}{6,}(?!\p{L}|['’]t)/gu;

const counted = createCountCache(tokenizer);
const count = (text: string): number => counted.count(text);
const COMPILE: CompileOptions = { tokenizer: tokenizer.name, tokenizerEvidence: 'measured', count };

interface Pair {
  readonly session: Session;
  readonly redacted: Session;
}

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

/** Tokens of everything that a session puts into requests. */
function tokensOf({ messages }: Session): number {
  const options = { render: policies.none.render, count };
  return messages
    .flatMap(({ parts, role }) => parts.map((part) => countPart(part, role, options)))
    .reduce((sum, tokens) => sum + tokens, 0);
}

function lengthsOf(session: Session): readonly (readonly number[])[] {
  return textsOf(session).map((text) => [text.length, Buffer.byteLength(text)]);
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
      if (after[index]?.slice(start, start + word.length) === word) left++;
    }
  }
  return { all, left };
}

/** Runs of a trace in windows of any size; what was run once is known. */
function createRuns(trace: Trace) {
  const known = new Map<string, RunTotals>();
  return (policy: Policy, contextTokens: number): RunTotals => {
    const key = `${policy.name} ${contextTokens}`;
    const run = known.get(key) ?? foldOf(trace, policy, { contextTokens, outputTokens: 1_000 });
    known.set(key, run);
    return run;
  };
}

function foldOf(trace: Trace, policy: Policy, limits: Limits): RunTotals {
  const model = createProfile('lab/model', limits);
  const summarizer = findSummarizer(`scripted:tokens=${SUMMARY_TOKENS}`);
  return foldRun(runTrace(trace, { policy, model, summarizer, seed: 1 }));
}

type Runs = ReturnType<typeof createRuns>;

/** What a run did that must not change with the words. */
function outcomeOf(runs: Runs, policy: Policy, contextTokens: number) {
  const control = runs(policies.none, contextTokens);
  const { tokensSaved, ...metrics } = measure({ run: runs(policy, contextTokens), control });
  const { overflows, refusals, compactions, failedCompactions } = metrics;
  const { prunes, prunesBelowMinimum, prunedTokensEstimated } = metrics;
  return {
    hits: { overflows, refusals, compactions, failedCompactions },
    prunes: { prunes, prunesBelowMinimum, prunedTokensEstimated },
    tokensSaved,
  };
}

/** Whether the original itself meets its threshold elsewhere when the window is as little larger or smaller. */
function isOnTheBrink(runs: Runs, policy: Policy, contextTokens: number): boolean {
  const [less, same, more] = [0.995, 1, 1.005].map((share) => {
    const outcome = outcomeOf(runs, policy, Math.round(contextTokens * share));
    const { hits, prunes, tokensSaved } = outcome;
    return { seen: JSON.stringify([hits, prunes]), tokensSaved: tokensSaved ?? 0 };
  });
  if (less?.seen !== same?.seen || more?.seen !== same?.seen) return true;
  const saved = [less, same, more].map((run) => run?.tokensSaved ?? 0);
  return Math.max(...saved) - Math.min(...saved) > Math.abs(saved[1] ?? 0) / 100;
}

/** A session and its redaction in a window that the original outgrows; nothing where it is too small. */
function tryOut({ session, redacted }: Pair) {
  const trace = compileSession(session, COMPILE);
  const before = createRuns(trace);
  const { overheadTokens } = trace.basis;
  const grownTokens = before(policies.none, 0).peakContextTokens - overheadTokens;
  if (grownTokens < SMALLEST_TOKENS) return [];
  const after = createRuns(compileSession(redacted, COMPILE));
  return [{ before, after, contextTokens: overheadTokens + Math.round(0.6 * grownTokens) + 2_000 }];
}

describe.skipIf(!hasSessions)(
  `a redacted session${note}`,
  () => {
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

    it('has no word of six letters or more at its place', () => {
      const sums = pairs.map(countWords);
      expect(sums.reduce((sum, { all }) => sum + all, 0)).toBeGreaterThan(100_000);
      expect(sums.reduce((sum, { left }) => sum + left, 0)).toBe(0);
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
          expect(Math.abs((got.tokensSaved ?? 0) - saved)).toBeLessThanOrEqual(
            Math.abs(saved) / 100,
          );
          compared += expected.hits.overflows === 0 ? 0 : 1;
        }
        expect(compared).toBeGreaterThan(10);
      },
    );
  },
  TIMEOUT_MS,
);
