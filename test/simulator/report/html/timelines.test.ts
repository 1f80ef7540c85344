import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { EvictionCause, RunEvent } from '../../../../src/simulator/events.ts';
import type { RunRecord } from '../../../../src/simulator/metrics/record.ts';
import { describeMoment } from '../../../../src/simulator/report/html/describe-moment.ts';
import { timelineOf, toTimelineRun } from '../../../../src/simulator/report/html/timelines.ts';
import { formats } from '../../../../src/simulator/report/runs.ts';
import { sampleEvents } from '../../../support/sample-events.ts';
import { sampleReport, sampleRun } from '../../../support/sample-report.ts';
import { sampleView } from '../../../support/sample-view.ts';
import { summary } from '../../metrics/events.ts';
import { switched } from '../run-events.ts';

const SESSIONS = 200;
const STEPS = 300;
const MOST_BYTES = 4_000_000;

const eventsOf = ({ session, policy }: RunRecord) =>
  sampleEvents({ session, policy, steps: STEPS, spread: spreadOf(session) });
const viewOf = ({ session }: RunRecord) => sampleView({ steps: STEPS, spread: spreadOf(session) });

/** No session is like another. */
function spreadOf(session: string): number {
  return 1 + Number(session.replaceAll(/\D/g, ''));
}

const missed = (missedBy: EvictionCause): RunEvent => ({
  type: 'reference',
  step: 4,
  kind: 'phrase',
  document: 1,
  messageId: 's2',
  partId: 's2-read',
  sinceStep: 2,
  tokens: 900,
  isRecoverable: false,
  partIds: ['s2-read'],
  missedBy,
});

describe('toTimelineRun', () => {
  const draw = (events: readonly RunEvent[], view?: ReturnType<typeof sampleView>) =>
    toTimelineRun({ name: 'one', events, view });

  it('has a column for every size, and the moments at their steps', () => {
    const run = draw(sampleEvents({ steps: 20 }));
    expect(run.usable).toBe(32_000);
    expect(run.context.slice(13, 16)).toEqual([37_000, 39_000, 14_000]);
    expect(run.moments.map(([step, kind]) => [step, kind])).toEqual([
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

  it('is left out without a step', () => {
    expect(timelineOf('none', [{ name: 'one', events: [] }])).toBeUndefined();
  });

  it('names what was lost where texts are kept, and keeps no further copy of that', () => {
    const view = sampleView({ steps: 20, hasTexts: true });
    const named = view.texts && {
      ...view,
      texts: { ...view.texts, losses: ['collectInvoices'] },
    };
    const lossOf = (own = view) =>
      draw(sampleEvents({ steps: 20 }), own).moments.find(([, kind]) => kind === 'miss')?.[2];
    expect(lossOf(named)).toMatch(/^Loss: .* It was: collectInvoices$/);
    expect(lossOf()).not.toContain('It was');
    const told = draw(sampleEvents({ steps: 20 }), named);
    expect(told.view?.texts).not.toHaveProperty('losses');
  });
});

describe('a page of many runs', () => {
  it('is one file whose data is packed', () => {
    const runs = Array.from({ length: SESSIONS }, (_, index) =>
      ['none', 'opencode-1.2.16'].map((policy) =>
        sampleRun({ session: `sessions/${index}.jsonl`, policy }),
      ),
    ).flat();
    const page = formats.html.render(sampleReport({ runs }), { colors: false, eventsOf, viewOf });
    expect(page.length).toBeLessThan(MOST_BYTES);
    const [, packed = ''] =
      /<script type="application\/gzip" id="data">(.*?)<\/script>/s.exec(page) ?? [];
    const charts = JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString());
    expect(charts).toHaveLength(1 + SESSIONS);
    expect(charts[1].runs[0].context).toHaveLength(STEPS);
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
        fileRereads: 0,
        callLoops: 0,
      },
      undefined,
    ],
    [
      summary({ keptTokens: 2_502 }),
      'Summary of 3 messages: read 40,000 tokens, silently cut to 2,502 tokens, wrote 5,000 tokens.',
    ],
    [{ type: 'eviction', by: 'pivot', parts: 1 }, '1 part left the view by a compaction.'],
    [
      missed('window'),
      'Loss: 900 tokens of step 2 needed (words found only there), removed by the window.',
    ],
    [
      missed('memory'),
      'Loss: 900 tokens of step 2 needed (words found only there), removed by a move to external memory.',
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
        fileRereads: 0,
        callLoops: 0,
      },
      'No longer named after messages moved out: 1 of 2 constraints, 0 of 3 paths.',
    ],
    [{ type: 'turn-start', turn: 1 }, undefined],
  ])('%j', (event, words) => {
    expect(describeMoment(event)?.[1]).toBe(words);
  });
});
