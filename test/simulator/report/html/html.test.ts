import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../../src/engine/index.ts';
import { html } from '../../../../src/simulator/report/html/html.ts';
import type { PageData } from '../../../../src/simulator/report/html/page-data.ts';
import { toPageOfRuns } from '../../../../src/simulator/report/html/page-of-runs.ts';
import { rulesOf } from '../../../../src/simulator/report/html/rules.ts';
import type { RunRecord } from '../../../../src/simulator/metrics/record.ts';
import { sampleEvents } from '../../../support/sample-events.ts';
import { sampleView } from '../../../support/sample-view.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../../../support/sample-report.ts';

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
    const { notes, runs } = toPageOfRuns(sampleReport(), {});
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

  it('tells policies apart only where intervals let it', () => {
    const runs = Array.from({ length: 12 }, (_, index) =>
      ['none', 'opencode-1.2.16'].map((policy, at) => {
        const metrics = {
          ...sampleMetrics,
          misses: at * 5 + (index % 2),
          costUsd: index + (index % 2 === at ? 1 : 2),
        };
        return sampleRun({ session: `${index}`, policy, metrics });
      }),
    ).flat();
    const { differences, metrics } = toPageOfRuns(sampleReport({ runs }), {});
    const verdicts = differences.map((one) => [metrics[one.metric]?.name, one.verdict]);
    expect(Object.fromEntries(verdicts)).toMatchObject({
      misses: 'higher',
      costUsd: 'within noise',
    });
  });
});
