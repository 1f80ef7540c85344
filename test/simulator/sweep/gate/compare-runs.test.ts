import { beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import {
  describeFinding,
  type GateReport,
  type ScenarioResult,
  type ScenarioRunResult,
} from '../../../../src/simulator/report/check-report.ts';
import type { BenchConfig } from '../../../../src/simulator/scenario/gate.ts';
import {
  type Baseline,
  type CaseRecord,
  createHeader,
} from '../../../../src/simulator/sweep/gate/baseline.ts';
import { toGateReport } from '../../../../src/simulator/sweep/gate/gate-report.ts';
import { toScenarioRecord } from '../../../../src/simulator/sweep/gate/case-record.ts';
import { createComparison } from '../../../../src/simulator/sweep/gate/compare-runs.ts';
import { checked } from './checked.ts';

const header = createHeader({ version: '1.0.0', catalog: 'abc', reason: 'first' });
const SOURCE = 'file-hash';
const LATER = { policy: '{ preset: opencode-1.18, set: { auto: false } }' };
const made: { before?: ScenarioResult; after?: ScenarioResult } = {};
beforeAll(async () => {
  made.before = await checked();
  made.after = await checked(LATER);
});

function baselineOf(result: ScenarioResult): Baseline {
  const record = toScenarioRecord(result, SOURCE);
  return { folder: 'base', header, scenarios: new Map([[record.scenario, record]]) };
}

/** The baseline with something else in its only run. */
function changed(change: (run: CaseRecord) => Partial<CaseRecord>): Partial<Baseline> {
  const record = toScenarioRecord(made.before!, SOURCE);
  const runs = record.runs.map((run) => ({ ...run, ...change(run) }));
  return { scenarios: new Map([[record.scenario, { ...record, runs }]]) };
}

/** The scenario as it was before, with something else in its only run. */
function beforeWith(change: Partial<ScenarioRunResult>): ScenarioResult {
  return { ...made.before!, runs: [{ ...made.before!.runs[0]!, ...change }] };
}

/** Its events, some of them with something else. */
const eventsWith = (change: (event: RunEvent) => RunEvent) =>
  beforeWith({ events: made.before!.runs[0]!.events.map(change) });
const reasonsOf = ({ inconclusive }: GateReport) => inconclusive.map(({ reason }) => reason);

function hold(
  now: ScenarioResult,
  change: { config?: BenchConfig; baseline?: Partial<Baseline>; source?: string } = {},
) {
  const { config = {}, source = SOURCE } = change;
  const baseline = { ...baselineOf(made.before!), ...change.baseline };
  const held = createComparison({ baseline, header, config, isWhole: true });
  held.add(now, source);
  return toGateReport(held.end());
}

describe('a check against its baseline', () => {
  it('finds nothing where nothing has changed', () => {
    const { findings, inconclusive, comparedRuns } = hold(made.before!);
    expect({ findings, inconclusive, comparedRuns }).toEqual({
      findings: [],
      inconclusive: [],
      comparedRuns: 1,
    });
  });

  it('names scenario, step and rule of the first event that differs', () => {
    const [finding] = hold(made.after!).findings;
    expect(finding).toMatchObject({
      kind: 'events',
      scenario: 'test',
      run: 'main',
      rule: expect.stringMatching(/^(overflow rule|view rule|cut)/),
    });
    expect(finding).toHaveProperty('step');
    if (finding?.kind !== 'events') throw new Error('Expected a finding about events.');
    expect(finding.now).not.toBe(finding.baseline);
    expect(finding.before.length).toBeGreaterThan(0);
  });

  it('finds also what no line of the log shows', () => {
    const now = eventsWith((event) =>
      event.type === 'step-end' ? { ...event, latencyMs: event.latencyMs + 1 } : event,
    );
    const { findings } = hold(now);
    expect(findings.map(describeFinding)).toEqual([
      expect.stringMatching(
        /^test: main: somewhere in the run: what no line of the log shows: digest \w+, baseline digest \w+$/,
      ),
    ]);
  });

  it.each<[what: string, changed: Partial<CaseRecord>, finding: RegExp]>([
    ['a line of the log', { log: ['step 1: edited'] }, /: .*, baseline edited$/],
    [
      'its state',
      { state: 'refused' },
      /: step \d+: end of the run: state completed, baseline state refused$/,
    ],
  ])('finds what somebody changed in the baseline by hand: %s', (_, other, finding) => {
    const { findings } = hold(made.before!, { baseline: changed(() => other) });
    expect(findings.map(describeFinding)).toEqual([expect.stringMatching(finding)]);
  });

  it('can say nothing where a gate asks for a multiple of a baseline below 0', () => {
    const metrics = { ...made.before!.runs[0]!.metrics, tokensSaved: -2 };
    const gates = [{ type: 'ratio', metric: 'tokensSaved', limit: 1.1 }] as const;
    const report = hold(beforeWith({ metrics }), {
      baseline: changed(() => ({ metrics })),
      config: { cases: { '*': gates }, gates },
    });
    expect(report.findings).toEqual([]);
    const said = 'ate ratio on tokensSaved: expected a baseline of at least 0, got -2.';
    expect(reasonsOf(report)).toEqual([`test: main: g${said}`, `G${said}`]);
  });

  it('does not ask where the session lies', () => {
    const now = eventsWith((event) =>
      event.type === 'run-start' ? { ...event, session: '/elsewhere/session.json' } : event,
    );
    expect(hold(now).findings).toEqual([]);
  });

  it.each(['*', 'test', 'test: main'])('asks the gates that stand under %s', (key) => {
    const gates = [{ type: 'exact', metric: 'compactions' }] as const;
    const config: BenchConfig = { events: 'ignored', cases: { [key]: gates } };
    expect(hold(made.after!, { config }).findings).toMatchObject([
      { kind: 'gate', scenario: 'test', run: 'main', metric: 'compactions' },
    ]);
  });

  it('asks gates over all runs of their totals', () => {
    const config: BenchConfig = {
      events: 'ignored',
      gates: [{ type: 'ratio', metric: 'inputTokens', limit: 0.5 }],
    };
    const [finding] = hold(made.before!, { config }).findings;
    expect(finding).toMatchObject({ kind: 'gate', metric: 'inputTokens' });
    expect(finding).not.toHaveProperty('scenario');
  });
});

describe('a check that cannot be compared', () => {
  it.each([
    ['another catalog', { header: { ...header, catalog: 'other' } }, /a different catalog/],
    ['another scorer', { header: { ...header, scorerVersion: 0 } }, /a different scorer version/],
    ['another schema', { header: { ...header, schemaVersion: 0 } }, /a different schema version/],
    ['no such scenario', { scenarios: new Map() }, /'test' is not in the baseline/],
  ])('says so for %s', (_, baseline, reason) => {
    const report = hold(made.before!, { baseline });
    expect(reasonsOf(report).join()).toMatch(reason);
    expect(report.findings).toEqual([]);
  });

  it('says so for a scenario that was changed', () => {
    const report = hold(made.before!, { source: 'other' });
    expect(reasonsOf(report)).toEqual([
      "Scenario 'test' has changed since the baseline was written.",
    ]);
    expect(report.comparedRuns).toBe(0);
  });

  it('says so for another model', () => {
    const baseline = changed((run) => ({ made: { ...run.made, model: 'other/one' } }));
    expect(reasonsOf(hold(made.before!, { baseline }))).toEqual([
      "Run 'main' of scenario 'test' was made with a different model: other/one, now local/test.",
    ]);
  });

  it.each([
    [
      '1.0.0',
      /^Run 'main' .* not its numbers: steps 99, now 10 and 1 other\. .* changed by hand; else a metric was, /,
    ],
    ['0.9.0', / they mean something else since version 0\.9\.0, which wrote it\.$/],
  ])('says so for numbers that its own run of version %s does not have', (version, reason) => {
    const other = changed((run) => ({ metrics: { ...run.metrics, steps: 99, turns: 99 } }));
    const baseline = { ...other, header: { ...header, version } };
    for (const config of [{}, { events: 'ignored' }] as const) {
      expect(hold(made.before!, { baseline, config })).toMatchObject({
        findings: [],
        inconclusive: [{ reason: expect.stringMatching(reason) }],
      });
    }
    // Other events have other numbers.
    expect(hold(made.after!, { baseline }).inconclusive).toEqual([]);
  });

  it('says so where nothing was checked, and where something was left out', () => {
    const baseline = baselineOf(made.before!);
    const end = (isWhole: boolean) =>
      reasonsOf(toGateReport(createComparison({ baseline, header, config: {}, isWhole }).end()));
    expect(end(true)).toEqual([
      "Scenario 'test' of the baseline was not checked.",
      'No scenario was checked.',
    ]);
    expect(end(false)).toEqual(['No scenario was checked.']);
  });

  it('says so for a run that was there and was not made', () => {
    const before = made.before!;
    const runs = [...before.runs, { ...before.runs[0]!, name: 'second' }];
    const scenarios = baselineOf({ ...before, runs }).scenarios;
    expect(hold(before, { baseline: { scenarios } }).inconclusive).toEqual([
      { reason: "Run 'second' of scenario 'test' was not run." },
    ]);
  });

  it.each([
    ['tets', 'test, test: main'],
    ['test: mian', 'test: main, test'],
  ])('says so for gates under %s, which no run is', (key, nearest) => {
    const config: BenchConfig = { cases: { [key]: [{ type: 'exact', metric: 'steps' }] } };
    expect(hold(made.before!, { config }).inconclusive).toEqual([
      { reason: `There are gates for '${key}', but no such run; nearest: ${nearest}.` },
    ]);
  });

  it('asks limits also of what the baseline has no number for', () => {
    const gate = { type: 'max', metric: 'compactions', limit: 0 } as const;
    const { findings, unscoredRuns } = hold(made.before!, {
      config: { gates: [gate] },
      baseline: changed((run) => ({ metrics: { ...run.metrics, compactions: null } })),
    });
    expect({ findings: findings.length, unscoredRuns }).toEqual({ findings: 1, unscoredRuns: 0 });
  });

  it('says so where too much has no number', () => {
    const config: BenchConfig = {
      cases: { '*': [{ type: 'exact', metric: 'costUsd' }] },
      gates: [
        { type: 'exact', metric: 'steps' },
        { type: 'exact', metric: 'costSavedUsd' },
      ],
    };
    const { inconclusive, unscoredRuns } = hold(made.before!, { config });
    expect(unscoredRuns).toBe(1);
    expect(inconclusive[0]?.reason).toBe(
      '1 of 1 runs lack a number that a gate needs (costSavedUsd, costUsd); more than 2 % is too many.',
    );
  });
});
