import { describe, expect, it } from 'vitest';
import type { EvictionCause, RunEvent } from '../../../../src/simulator/events.ts';
import { describeMoment } from '../../../../src/simulator/report/html/describe-moment.ts';
import { toRunDetail } from '../../../../src/simulator/report/html/run-detail.ts';
import { sampleEvents } from '../../../support/sample-events.ts';
import { summary } from '../../metrics/events.ts';
import { switched } from '../run-events.ts';

const missed = (missedBy: EvictionCause): RunEvent => ({
  type: 'reference',
  step: 4,
  kind: 'quoted',
  document: 1,
  messageId: 's2',
  partId: 's2-read',
  sinceStep: 2,
  tokens: 900,
  callTokens: 8,
  isFileRead: true,
  missedBy,
});

describe('toRunDetail', () => {
  it('has a column for every size, and the moments at their steps', () => {
    const detail = toRunDetail(sampleEvents({ steps: 20 }));
    expect(detail?.usable).toBe(32_000);
    expect(detail?.context.slice(13, 16)).toEqual([37_000, 39_000, 14_000]);
    expect(detail?.moments.map(([step, kind]) => [step, kind])).toEqual([
      [6, 'prune'],
      [14, 'overflow'],
      [14, 'summary'],
      [14, 'pivot'],
      [14, 'lost'],
      [17, 'miss'],
      [19, 'law'],
      [19, 'end'],
    ]);
  });

  it('is unknown for a run without a step', () => {
    expect(toRunDetail([])).toBeUndefined();
  });

  it('names forty parts of a prune at most', () => {
    const partIds = Array.from({ length: 100 }, (_, index) => `part_${index}`);
    const prune = {
      type: 'prune-end',
      state: 'fired',
      partIds,
      estimatedTokens: 1,
      prunedTokens: 1,
      survivingTokens: 1,
    } as const;
    const [moment] = toRunDetail([...sampleEvents({ steps: 1 }), prune])?.moments.slice(-1) ?? [];
    expect(moment?.[2]).toContain('Prune of 100 parts');
    expect(moment?.[3]).toHaveLength(40);
  });
});

describe('describeMoment', () => {
  it.each<[RunEvent, string | undefined]>([
    [{ type: 'overflow', path: 'refused' }, 'Overflow when the provider refused.'],
    [switched(3, 900), 'From here on c/d, context 1, usable 900.'],
    [switched(3), 'From here on c/d, context 1, no usable limit.'],
    [
      {
        type: 'prune-end',
        state: 'below-minimum',
        partIds: [],
        estimatedTokens: 900,
        prunedTokens: 0,
        survivingTokens: 0,
      },
      'Prune did not fire: it found 900 tokens, less than its minimum.',
    ],
    [
      {
        type: 'prune-end',
        state: 'nothing',
        partIds: [],
        estimatedTokens: 0,
        prunedTokens: 0,
        survivingTokens: 0,
      },
      undefined,
    ],
    [
      {
        type: 'step-refused',
        step: 3,
        contextTokens: 70_000,
        windowTokens: 64_000,
        isRecognised: false,
      },
      'Refused: 70,000 tokens for a window of 64,000 tokens; the policy does not recognise this error.',
    ],
    [
      { type: 'request-failed', of: 'summary', step: 3, failure: 'time-out', waitMs: 2_000 },
      'Request of a summary failed (time-out); retried after 2,000 ms.',
    ],
    [
      {
        type: 'standing',
        at: 'run-end',
        constraints: 2,
        paths: 3,
        goneConstraints: [],
        gonePaths: [],
        fileReads: 0,
        callLoops: 0,
      },
      undefined,
    ],
    [
      summary({ keptTokens: 2_502 }),
      'Summary of 3 messages: read 40,000 tokens, silently cut to 2,502 tokens, wrote 5,000 tokens.',
    ],
    [{ type: 'eviction', by: 'pivot', parts: 1 }, '1 part left the view (pivot).'],
    [
      missed('window'),
      'Miss: 900 tokens of step 2 needed (words found only there), removed by the window.',
    ],
    [
      missed('memory'),
      'Miss: 900 tokens of step 2 needed (words found only there), removed by a move to external memory.',
    ],
    [
      {
        type: 'standing',
        at: 'moved-out',
        constraints: 2,
        paths: 3,
        goneConstraints: ['constraint-1'],
        gonePaths: [],
        fileReads: 0,
        callLoops: 0,
      },
      'No longer named after messages moved out: 1 of 2 constraints, 0 of 3 paths.',
    ],
    [{ type: 'turn-start', turn: 1 }, undefined],
  ])('%j', (event, words) => {
    expect(describeMoment(event)?.words).toBe(words);
  });
});
