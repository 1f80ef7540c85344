/** How a check stands against its baseline, in words. */

import { countOf } from '../numbers.ts';
import { shownText } from '../shown-text.ts';
import type { GateFinding, GateReport } from './gate-report.ts';

/** How many runs were compared, and what came of it. */
export function headline(gate: GateReport): string {
  const { baseline, comparedRuns } = gate;
  return `Against ${shownText(baseline)}, ${countOf(comparedRuns, 'run')}: ${outcomeOf(gate)}.`;
}

/** What a gate has to tell, a line each. */
export function gateLines(gate: GateReport): readonly string[] {
  return [
    ...gate.inconclusive.map(({ reason }) => `? ${shownText(reason)}`),
    ...gate.findings.flatMap(findingLines),
  ];
}

/** One finding as one sentence. */
export function describeFinding(finding: GateFinding): string {
  return linesOf(finding)[0] ?? '';
}

/** The scenario and run that a finding is about, as far as it is about one. */
export function placeOf({ scenario, run }: GateFinding): string {
  if (scenario === undefined) return 'all runs';
  return shownText(run === undefined ? scenario : `${scenario}: ${run}`);
}

/** Where in a run its log is another than that of the baseline. */
export function momentOf({
  step,
  isUnlogged,
}: Pick<GateFinding & { readonly kind: 'events' }, 'step' | 'isUnlogged'>): string {
  if (isUnlogged) return 'somewhere in the run';
  return step === undefined ? 'before the first step' : `step ${step}`;
}

function outcomeOf({ comparedRuns, findings, inconclusive }: GateReport): string {
  if (inconclusive.length > 0) return 'inconclusive';
  if (findings.length > 0) return countOf(findings.length, 'difference');
  return comparedRuns === 0 ? 'nothing was compared' : 'as before';
}

/** One finding: a sentence, and the log around an event that differs. */
function findingLines(finding: GateFinding): readonly string[] {
  const [first = '', ...context] = linesOf(finding);
  return [`✗ ${first}`, ...context.map((line) => `    ${line}`)];
}

function linesOf(finding: GateFinding): readonly string[] {
  const place = placeOf(finding);
  if (finding.kind === 'gate') {
    const { type, metric, expected, got } = finding;
    return [`${place}: gate ${type} on ${metric}: expected ${expected}, got ${got}`];
  }
  const { rule, now, baseline, before } = finding;
  return [
    `${place}: ${momentOf(finding)}: ${shownText(rule)}: ${shownText(now)}, baseline ${shownText(baseline)}`,
    ...before.map((line) => `  ${shownText(line)}`),
    `- ${shownText(baseline)}`,
    `+ ${shownText(now)}`,
  ];
}
