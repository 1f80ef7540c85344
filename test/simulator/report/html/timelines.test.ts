import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { EvictionCause, RunEvent } from '../../../../src/simulator/events.ts';
import type { RunRecord } from '../../../../src/simulator/metrics/record.ts';
import {
  describeMoment,
  timelineOf,
  toTimelineRun,
} from '../../../../src/simulator/report/html/timelines.ts';
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

const standing: RunEvent = {
  type: 'standing',
  at: 'run-end',
  constraints: 2,
  paths: 3,
  goneConstraints: [],
  gonePaths: [],
  fileReads: 0,
  fileRereads: 0,
  callLoops: 0,
};
const prune: RunEvent = {
  type: 'prune-end',
  state: 'below-minimum',
  partIds: [],
  estimatedTokens: 900,
  prunedTokens: 0,
  survivingTokens: 0,
};
const refused = { type: 'step-refused', step: 3, contextTokens: 70_000 } as const;

it('describes moments in words', async () => {
  const events: readonly RunEvent[] = [
    ...new Map(sampleEvents({ steps: 20 }).map((event) => [event.type, event])).values(),
    { type: 'overflow', path: 'refused' },
    switched(3, 900),
    switched(3),
    prune,
    { ...prune, state: 'nothing' },
    { ...refused, windowTokens: 64_000, isRecognised: false },
    { type: 'request-failed', of: 'summary', step: 3, failure: 'time-out', waitMs: 2_000 },
    standing,
    { ...standing, at: 'moved-out', goneConstraints: ['constraint-1'] },
    summary({ keptTokens: 2_502 }),
    { type: 'eviction', by: 'pivot', parts: 1 },
    missed('window'),
    missed('memory'),
  ];
  const words = events.map((event) => `${event.type}: ${describeMoment(event)?.join(': ') ?? '–'}`);
  await expect(`${words.join('\n')}\n`).toMatchFileSnapshot(
    '../../../fixtures/snapshots/moments.txt',
  );
});
