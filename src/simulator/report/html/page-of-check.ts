import {
  type CheckedRun,
  type CheckFormat,
  type CheckReport,
  describeChanges,
  describeFirst,
  describeVerdict,
  type GateFinding,
  type GateReport,
  momentOf,
  problemsOf,
} from '../check-report.ts';
import { billLines } from '../check-bill.ts';
import { countOf } from '../numbers.ts';
import { describeMakers } from '../origin.ts';
import { describeEnding } from '../report.ts';
import type { PageCell, PageData, PageDiff, PageTable } from './page-data.ts';
import { madeBy } from './page-parts.ts';
import { emptyPage, renderPage } from './render-page.ts';

type Of<Kind extends GateFinding['kind']> = GateFinding & { readonly kind: Kind };

const HOW =
  'A scenario passes if every run does what its file expects; a finding is where a run differs from its baseline.';

/** Names of runs are sentences, as those of tests are. */
const RUN_COLUMN = { title: 'Run', isWords: true };

/** The outcome of a check as one page for a browser. */
export const htmlOfCheck: CheckFormat = {
  extension: '.html',
  describes: 'One page for a browser: what differs and where, every scenario.',
  render: (report) => renderPage(toPageOfCheck(report)),
};

/** Converts a check to a page: what differs first, step by step, then every run of every scenario. */
export function toPageOfCheck(report: CheckReport): PageData {
  const { gate, unread } = report;
  const problems = problemsOf(report);
  return {
    ...emptyPage(unread),
    title: describeVerdict(report),
    verdict: [...describeChanges(report), ...describeFirst(report)],
    lists: problems.length === 0 ? [] : [{ title: 'Not as expected', lines: problems }],
    diffs: (gate?.findings ?? []).flatMap((one) => (one.kind === 'events' ? toDiff(one) : [])),
    tables: [toScenarios(report)],
    facts: factsOf(report),
    evidence: `${HOW} ${describeMakers(report.origin)}`.trimEnd(),
  };
}

function toDiff({ scenario, run, rule, baseline, now, before, ...moment }: Of<'events'>): PageDiff {
  return {
    title: `${scenario}, ${run}: ${momentOf(moment)}`,
    facts: moment.isUnlogged ? rule : `First event that differs; rule: ${rule}`,
    lines: [...before.map((line) => [' ', line] as const), ['-', baseline], ['+', now]],
  };
}

function toScenarios({ scenarios, gate }: CheckReport): PageTable {
  const differing = new Set(gate?.findings.map(({ scenario, run }) => keyOf(scenario, run)));
  const hasCharts = scenarios.some(({ runs }) => runs.some(({ chart }) => chart !== undefined));
  const hasBills = scenarios.some(({ runs }) => runs.some(({ bill }) => bill !== undefined));
  const columns = [
    { title: 'Scenario' },
    RUN_COLUMN,
    { title: 'State' },
    { title: 'Ended', isWords: true },
    { title: 'Steps', isNumber: true },
    { title: 'Peak context', isNumber: true },
    { title: 'Compactions', isNumber: true },
    { title: 'Prunes', isNumber: true },
    ...(hasBills ? [{ title: 'Bill', isWords: true }] : []),
    ...(hasCharts ? [{ title: 'Chart' }] : []),
  ];
  const rows = scenarios.flatMap(({ name, runs }) =>
    runs.map((run) => [
      name,
      run.name,
      stateOf(run, differing.has(keyOf(name, run.name)) ? 'differs' : 'passed'),
      ...rowOf(run, hasBills),
    ]),
  );
  const caption = `${countOf(rows.length, 'run')} of ${countOf(scenarios.length, 'scenario')}`;
  return { id: 'scenarios', title: 'Scenarios', caption, columns, rows };
}

function keyOf(scenario: string | undefined, run: string | undefined): string {
  return JSON.stringify([scenario, run]);
}

function stateOf({ failures }: CheckedRun, beside: 'passed' | 'differs'): PageCell {
  if (failures.length > 0) return { text: 'failed', isBad: true };
  return beside === 'differs' ? { text: beside, isBad: true } : beside;
}

function rowOf(run: CheckedRun, hasBills: boolean): readonly PageCell[] {
  const { metrics, chart, bill } = run;
  const { steps, peakContextTokens, compactions, prunes } = metrics;
  return [
    describeEnding(run),
    ...[steps, peakContextTokens, compactions, prunes].map((value) =>
      value === null ? { text: '–', value } : value,
    ),
    ...(hasBills ? [bill === undefined ? '–' : billLines(bill).join('; ')] : []),
    ...(chart === undefined ? [] : [{ text: 'chart', drawing: chart }]),
  ];
}

function factsOf({ gate, origin }: CheckReport): PageData['facts'] {
  return [...(origin === undefined ? [] : [madeBy(origin)]), ...gateFacts(gate)];
}

function gateFacts(gate: GateReport | undefined): PageData['facts'] {
  if (gate === undefined) return [{ label: 'Baseline', value: 'none' }];
  const { baseline, reason, comparedRuns, unscoredRuns, findings } = gate;
  return [
    { label: 'Baseline', value: baseline },
    ...(reason === '' ? [] : [{ label: 'Reason', value: reason }]),
    { label: 'Compared', value: countOf(comparedRuns, 'run') },
    { label: 'Findings', value: String(findings.length) },
    { label: 'Without a number that a gate needs', value: countOf(unscoredRuns, 'run') },
  ];
}
