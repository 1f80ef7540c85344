import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';
import type { SummaryAnswer, SummaryRequest } from '../../src/simulator/summarizer/summarizer.ts';
import { counters, toolsWith } from '../simulator/summarizer/counters.ts';
import { heads } from '../simulator/summarizer/heads.ts';
import { frozen } from '../../src/engine/values.ts';

/** What holds for one summarizer and not for all. */
export interface SummarizerPromises {
  /** What the request's cap does: its answers fit it by themselves, are cut off at it, or never come near one. */
  readonly cap: 'fits' | 'cuts' | 'never';
  /** Requests that each law is tried with; fewer will do for one that hardly looks at them. */
  readonly runs?: number;
}

type Summarise = (request: SummaryRequest, countTokens?: (text: string) => number) => SummaryAnswer;

const RUNS = 100;
const requests: fc.Arbitrary<SummaryRequest> = fc
  .record({
    messages: heads,
    prompt: fc.constantFrom('', '<previous-summary>\n- a\n</previous-summary>'),
  })
  .map((request) => ({ system: 'Summarise.', ...request }));
const capTokens = fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 1_000 }));

/** What every summarizer must do, whatever it answers. */
export function describeSummarizer(name: string, { cap, runs = RUNS }: SummarizerPromises): void {
  const summarise = (request: SummaryRequest, countTokens = toolsWith().countTokens) =>
    findSummarizer(name).summarise(request, toolsWith(countTokens));

  describe(`${name} as a summarizer`, () => {
    it('bears the name that finds it', () => {
      expect(findSummarizer(name).name).toBe(name);
    });

    it('answers any head without throwing and without changing it', () => {
      fc.assert(
        fc.property(requests, (request) => {
          expect(shapeOf(summarise(frozen(request)))).toMatch(
            /^(?:finished (?:stop|length|tool-calls) string|failed .+)$/,
          );
        }),
        { numRuns: runs },
      );
    });

    it('gives the same answer to the same request', () => {
      const summarizer = findSummarizer(name);
      fc.assert(
        fc.property(requests, (request) => {
          const answer = summarizer.summarise(request, toolsWith());
          expect(summarizer.summarise(structuredClone(request), toolsWith())).toEqual(answer);
        }),
        { numRuns: runs },
      );
    });

    caps[cap](summarise, runs);
  });
}

const caps = { fits: describeFitting, cuts: describeCut, never: describeUncut };

function shapeOf(answer: SummaryAnswer): string {
  if (answer.state === 'failed') return `failed ${answer.reason}`;
  return `finished ${answer.finish} ${typeof answer.text}`;
}

function describeFitting(summarise: Summarise, runs: number): void {
  it.each(Object.entries(counters))('keeps within the cap, counted in %s', (_, countTokens) => {
    const tokensOf = (request: SummaryRequest) => {
      const answer = summarise(request, countTokens);
      return answer.state === 'finished' ? countTokens(answer.text) : 0;
    };
    fc.assert(
      fc.property(requests, capTokens, (request, outputCapTokens) => {
        fc.pre(tokensOf(request) > outputCapTokens);
        expect(tokensOf({ ...request, outputCapTokens })).toBeLessThanOrEqual(outputCapTokens);
      }),
      { numRuns: runs },
    );
  });
}

function describeCut(summarise: Summarise, runs: number): void {
  it.each(Object.entries(counters))('is cut off at the cap, counted in %s', (_, countTokens) => {
    fc.assert(
      fc.property(requests, fc.double({ min: 0, max: 1, noNaN: true }), (request, share) => {
        const whole = textOf(summarise(request, countTokens));
        const outputCapTokens = Math.floor(share * Math.max(0, countTokens(whole) - 1));
        fc.pre(countTokens(whole) > outputCapTokens);
        const answer = summarise({ ...request, outputCapTokens }, countTokens);
        expect(answer).toMatchObject({ state: 'finished', finish: 'length' });
        expect(whole.startsWith(textOf(answer))).toBe(true);
        expect(countTokens(textOf(answer))).toBeLessThanOrEqual(outputCapTokens);
        const longer = whole.slice(0, textOf(answer).length + 2);
        expect(longer === whole || countTokens(longer) > outputCapTokens).toBe(true);
      }),
      { numRuns: runs },
    );
  });
}

function describeUncut(summarise: Summarise, runs: number): void {
  it('answers the same, whatever the cap', () => {
    fc.assert(
      fc.property(requests, capTokens, (request, outputCapTokens) => {
        expect(summarise({ ...request, outputCapTokens })).toEqual(summarise(request));
      }),
      { numRuns: runs },
    );
  });
}

function textOf(answer: SummaryAnswer): string {
  return answer.state === 'finished' ? answer.text : '';
}
