import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../../src/engine/index.ts';
import type { EvictionCause, RunEvent } from '../../../../src/simulator/events.ts';
import type { RunRecord } from '../../../../src/simulator/metrics/record.ts';
import { describeMoment } from '../../../../src/simulator/report/html/describe-moment.ts';
import { type PageData, rulesOf } from '../../../../src/simulator/report/html/page-data.ts';
import {
  html,
  toPageOfRuns,
  toRunDetail,
} from '../../../../src/simulator/report/html/page-of-runs.ts';
import { sampleEvents } from '../../../support/sample-events.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../../../support/sample-report.ts';
import { sampleView } from '../../../support/sample-view.ts';
import { summary } from '../../metrics/events.ts';
import { switched } from '../run-events.ts';

const SESSIONS = 200;
const STEPS = 300;
const MOST_BYTES = 2_000_000;

/** The data of a page as its script reads it. */
function dataOf(page: string): PageData {
  const [, type, text = ''] =
    /<script type="application\/(json|gzip)" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  const json = type === 'gzip' ? gunzipSync(Buffer.from(text, 'base64')).toString() : text;
  return JSON.parse(json) as PageData;
}

function eventsOf({ session, policy }: RunRecord) {
  return sampleEvents({ session, policy, steps: STEPS, spread: spreadOf(session) });
}

function viewOf({ session }: RunRecord) {
  return sampleView({ steps: STEPS, spread: spreadOf(session) });
}

/** No session is like another. */
function spreadOf(session: string): number {
  return 1 + Number(session.replaceAll(/\D/g, ''));
}

describe('html', () => {
  it('has the cost of each run with what is read again, as its totals are', () => {
    const { runs, arms } = toPageOfRuns(sampleReport({ runs: [sampleRun()] }), {});
    expect(runs.map(({ net }) => net)).toEqual([8]);
    expect(arms?.rows.map(({ costUsd }) => costUsd)).toEqual([8]);
  });

  it('is one file below 2 MB for 200 sessions under two policies', () => {
    const runs = Array.from({ length: SESSIONS }, (_, index) =>
      ['none', 'opencode-1.2.16'].map((policy) =>
        sampleRun({ session: `sessions/${index}.jsonl`, policy }),
      ),
    ).flat();
    const page = html.render(sampleReport({ runs }), {
      colors: false,
      eventsOf,
      viewOf,
    });
    expect(Buffer.byteLength(page)).toBeLessThan(MOST_BYTES);
    const data = dataOf(page);
    expect(data.runs).toHaveLength(2 * SESSIONS);
    expect(data.runs.every(({ d }) => d?.context.length === STEPS)).toBe(true);
    expect(data.runs.every(({ d }) => d?.view?.came.length === STEPS)).toBe(true);
  });

  it('lets no text of a session become markup', () => {
    const session = '</script><!-- <script>\u2028';
    const page = html.render(sampleReport({ runs: [sampleRun({ session })] }), { colors: false });
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page).not.toContain('<!--');
    expect(page).not.toContain('\u2028');
    expect(dataOf(page).sessions).toEqual([session]);
  });

  it('names no address outside of itself', () => {
    const page = html.render(sampleReport(), { colors: false });
    expect(page.match(/https?:\/\/[^"'\s)]*/g)).toEqual([
      'http://www.w3.org/2000/svg',
      'http://www.w3.org/2000/svg',
    ]);
  });

  it('names no two metrics alike, and none as the part of one that is not there', () => {
    const labels = toPageOfRuns(sampleReport(), {}).metrics.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels).toEqual(expect.arrayContaining(['Overflows, after step', 'Hit rate']));
    expect(labels.filter((label) => /^[a-z]/.test(label))).toEqual([]);
  });

  it('says so where the events of runs are not known', () => {
    const { verdict, notes, runs } = toPageOfRuns(sampleReport(), {});
    expect(verdict).toEqual([
      'opencode-1.2.16 costs $8.00 over 1 session; it loses 25 things.',
      'Nothing is compared with it.',
    ]);
    expect(notes).toEqual([
      'The runs have no timeline: their events were not saved (run --events FILE).',
    ]);
    expect(runs[0]?.d).toBeUndefined();
  });

  it('says how far each policy is from the bound, with an interval', () => {
    const runs = Array.from({ length: 12 }, (_, index) =>
      sampleRun({
        session: `${index}`,
        metrics: { ...sampleMetrics, costAboveBoundUsd: 1 + (index % 2) },
      }),
    );
    const { bounds = [], metrics } = toPageOfRuns(sampleReport({ runs }), {});
    const cost = bounds.find((one) => metrics[one.metric]?.name === 'costAboveBoundUsd');
    expect(cost).toMatchObject({ group: 0, sessions: 12, value: 1.5 });
    expect(cost?.low).toBeGreaterThan(1);
    expect(cost?.high).toBeLessThan(2);
  });

  it('names the rules by which each policy acts', () => {
    const { groups } = toPageOfRuns(sampleReport(), {});
    expect(groups[0]?.rules).toEqual({
      overflow: 'overflow rule v1.1.60',
      prune: 'prune pass by-age, turn-end',
      pivot: 'cut, which keeps nothing',
      summary: 'instruction v1.1.57',
      lost: 'view rule v1.2.16',
    });
  });

  it('names clean-ups before the pass, and nothing where neither is', () => {
    const { dcp, none } = policies;
    const cleanups =
      'clean-up duplicates, before-request; clean-up superseded, before-request; clean-up failed-inputs, before-request';
    expect(rulesOf(dcp).prune).toBe(cleanups);
    const pruning = resolvePolicy(dcp, { prune: { enabled: true } });
    expect(rulesOf(pruning).prune).toBe(`${cleanups}; prune pass by-age, turn-end`);
    expect(rulesOf(none).prune).toBeUndefined();
  });
});

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

describe('toRunDetail', () => {
  it('has a column for every size, and the moments at their steps', () => {
    const detail = toRunDetail(sampleEvents({ steps: 20 }));
    const [start] = sampleEvents({ steps: 20 });
    expect(start?.type === 'run-start' && start.basis.overheadTokens).toBe(detail?.base);
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

  it('names what was lost where texts are kept, and keeps no further copy of that', () => {
    const view = sampleView({ steps: 20, hasTexts: true });
    const texts = view.texts && { ...view.texts, losses: ['collectInvoices'] };
    const told = toRunDetail(sampleEvents({ steps: 20 }), { ...view, texts });
    const [loss] = told?.moments.filter(([, kind]) => kind === 'miss') ?? [];
    expect(loss?.[2]).toMatch(/^Loss: .* It was: collectInvoices$/);
    expect(told?.view?.texts).not.toHaveProperty('losses');
    const [untold] =
      toRunDetail(sampleEvents({ steps: 20 }), view)?.moments.filter(
        ([, kind]) => kind === 'miss',
      ) ?? [];
    expect(untold?.[2]).not.toContain('It was');
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
    expect(describeMoment(event)?.words).toBe(words);
  });
});
