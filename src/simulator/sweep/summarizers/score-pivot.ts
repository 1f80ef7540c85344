import { qualityValues } from '../../metrics/quality/quality-metrics.ts';
import {
  type QualityScore,
  type ScoreOptions,
  scoreText,
} from '../../metrics/quality/score-text.ts';
import { viewText } from '../../metrics/quality/view-text.ts';
import type { PivotScore } from '../../report/summarizers/summary-row.ts';
import { askedHeadings } from '../../summarizer/asked-headings.ts';
import type { SummaryCall } from './arm.ts';
import { lastStep, type SummaryScenario } from './scenario.ts';
import type { PivotOutcome } from './watch-pivots.ts';

/** A pivot with its score, and the scores of its summary and its view in full. */
export interface ScoredPivot {
  readonly pivot: PivotScore;
  readonly summary: QualityScore;
  readonly view: QualityScore;
}

/** What differs between the summary and the view. */
type PivotOptions = Omit<ScoreOptions, 'facts' | 'source' | 'artifacts'> & {
  readonly atStep: number;
};

const CUT = 'length';

/** Scores what a pivot left: the summary by what it stands for, the view by all that was said. */
export function scorePivot(
  scenario: SummaryScenario,
  { summaryText, view, history }: PivotOutcome & { readonly state: 'compacted' },
  calls: readonly SummaryCall[],
): ScoredPivot {
  const { count } = scenario.trace;
  const request = calls.at(-1)?.request;
  const head = request?.messages ?? [];
  const seen = viewText(view);
  const tokens = {
    headTokens: count(viewText(head)),
    summaryTokens: count(summaryText),
    viewTokens: count(seen),
  };
  const summary = scoreAt(scenario, {
    text: summaryText,
    atStep: lastStep(scenario, head),
    headings: request === undefined ? [] : askedHeadings(request.prompt),
    tokens: {
      text: tokens.summaryTokens,
      before: tokens.headTokens,
      ...(request?.outputCapTokens !== undefined && { budget: request.outputCapTokens }),
    },
  });
  const whole = scoreAt(scenario, {
    text: seen,
    atStep: lastStep(scenario, history),
    tokens: { text: tokens.viewTokens },
  });
  const pivot = { ...valuesOf(summary, whole), ...tokens, ...callsOf(calls) };
  return { pivot, summary, view: whole };
}

function valuesOf(summary: QualityScore, view: QualityScore) {
  const { must } = summary.groups.criticality;
  return {
    summary: qualityValues(summary),
    view: qualityValues(view),
    kinds: kindsOf(summary),
    mustFacts: must?.facts ?? 0,
    mustDropped: must === undefined ? 0 : must.facts - must.kept,
  };
}

function scoreAt(
  { facts, source, artifacts }: SummaryScenario,
  { atStep, ...options }: PivotOptions,
): QualityScore {
  const done = artifacts.filter(({ step }) => step <= atStep);
  return scoreText({ ...options, atStep, facts, source, artifacts: done });
}

function kindsOf({ groups }: QualityScore): PivotScore['kinds'] {
  const entries = Object.entries(groups.kind).map(([kind, { share }]) => [kind, share] as const);
  return Object.fromEntries(entries);
}

/** A sum of which a part is unknown is unknown. */
function callsOf(calls: readonly SummaryCall[]) {
  const costNanoUsd = sumKnown(calls.map(({ answer }) => answer.call?.costNanoUsd));
  const latencyMs = sumKnown(calls.map(({ answer }) => answer.call?.latencyMs));
  return {
    calls: calls.length,
    ...(costNanoUsd !== undefined && { costNanoUsd }),
    ...(latencyMs !== undefined && { latencyMs }),
    isCut: calls.some(({ answer }) => answer.state === 'finished' && answer.finish === CUT),
  };
}

function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce<number | undefined>(
    (total, value) => (total === undefined || value === undefined ? undefined : total + value),
    0,
  );
}
