import { groupBy } from '../lib/collections.ts';
import { countEvidence } from '../metrics/statistics/verdict.ts';
import { armMetrics, FACT_SOURCES } from './arm-metrics.ts';
import {
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatCount,
  formatDifference,
  formatFixed,
  formatPercent,
  formatShortPercent,
  knownInterval,
  percentOf,
  UNKNOWN,
  withEnds,
} from './numbers.ts';
import { describeOrigin } from './origin.ts';
import { shareCell } from './statistics.ts';
import type {
  ArmDifference,
  ArmProbes,
  ArmReport,
  MeanEstimate,
  SummarizersReport,
} from './summarizers-report.ts';

type IntervalEstimate = Pick<MeanEstimate, 'mean' | 'low' | 'high'>;

/** Answers within two points are no difference that matters. Source: evaluation design, section 9.5. */
const LEAST_DIFFERENCE = 0.02;
const FEW_SESSIONS = 10;
const NARROW = 0.05;

const FACTS_FROM = {
  planted: 'with planted facts',
  stated: 'with the facts of a file',
  none: 'without facts',
};
const NO_READER =
  "No reader was named ('--reader ai:…'), so nothing here says which summary an agent could go on with.";
const NO_FACTS = 'Without facts nothing says what should be kept; no arm is better or worse.';
const NOTHING_TO_ASK =
  'No question could be asked: nothing was compacted, or no later step needs what only the compacted part says.';

export function conclude(report: SummarizersReport) {
  const { probes, arms, differences } = report;
  if (probes === undefined) return [NO_READER, concludeFacts(report)];
  const asked = probes.arms.filter(({ questions }) => questions > 0);
  const [only] = asked;
  if (only === undefined) return [NOTHING_TO_ASK];
  if (arms.length === 1) {
    const { full, compacted, none } = only.accuracy;
    return [
      `After the summary of ${only.arm} the reader answers ${shareOf(compacted)} of ${countOf(only.questions, 'question')} right, with the whole session ${shareOf(full)}, and with nothing ${shareOf(none)}.`,
    ];
  }
  return differences
    .filter(({ metric }) => metric === 'answered')
    .map((found) => concludeAnswers(found, probes.arms));
}

/** Arms by what they kept, that which kept most first. */
export function byKept(arms: readonly ArmReport[]): readonly ArmReport[] {
  return arms.toSorted((one, other) => keptBy(other) - keptBy(one));
}

/** The verdict on a difference in words. Only answers of a reader make an arm better or worse. */
export function describeVerdict({ metric, verdict }: ArmDifference) {
  const [lower = verdict, higher = verdict] = armMetrics[metric].differs ?? [];
  const words = {
    unjudged: 'nothing judges this',
    lower,
    higher,
    equivalent: 'no difference that matters',
    'within noise': 'not enough data',
    'too few': 'not enough data',
  };
  return words[verdict];
}

/** Who reads, and what was not answered, a sentence each. */
export function readerLines({
  reader,
  model,
  ownFamily,
  arms,
}: NonNullable<SummarizersReport['probes']>) {
  const isKin = ownFamily.length > 0;
  return [
    `Reader: ${reader}${model === undefined ? '' : `, which answered as ${model}`}.`,
    'FULL: asked with all that was said before the compaction. COMPACTED: with what is left after it. NONE: with nothing. Left: (COMPACTED − NONE) / (FULL − NONE).',
    ...(isKin
      ? [`The reader is of the same family as ${ownFamily.join(', ')} and may know its ways.`]
      : []),
    ...arms.flatMap(({ arm, unanswered }) =>
      unanswered.map(
        ({ reason, times }) => `${arm}: ${countOf(times, 'question')} unanswered: ${reason}`,
      ),
    ),
  ];
}

export function failureLines({ arms }: SummarizersReport) {
  return arms.flatMap(({ name, failures }) =>
    failures.reasons.map(
      ({ reason, state, times }) => `${name}: ${state}, ${countOf(times, 'time')}: ${reason}`,
    ),
  );
}

export function provenanceLines({ provenance, arms }: SummarizersReport) {
  const { policy, model, origin, scenarios, seed, scorerVersion, bench } = provenance;
  const { compactAt, pivots, repeats, leastRepeats } = provenance;
  const prompts = new Map(arms.map(({ prompt, promptHash }) => [promptHash, prompt]));
  const facts = FACT_SOURCES.flatMap((source) => {
    const { length } = scenarios.filter((scenario) => scenario.facts === source);
    return length === 0 ? [] : [`${formatCount(length)} ${FACTS_FROM[source]}`];
  });
  const evidence = countEvidence(scenarios.map(({ name, family }) => ({ session: name, family })));
  const places =
    compactAt === 'policy'
      ? `${countOf(pivots, 'time')} where the policy compacts on ${model}`
      : `at ${compactAt.map(formatShortPercent).join(', ')} of the steps`;
  const least = leastRepeats === undefined ? '' : `${formatCount(leastRepeats)} to `;
  return [
    `Policy ${policy}, compacted ${places}; model ${model}; seed ${seed}.`,
    `${describeFamilies(evidence)}, ${facts.join(', ')}; each run ${least}${countOf(repeats, 'time')}.`,
    `Prompts: ${[...prompts].map(([hash, name]) => `${name} ${hash}`).join(', ')}. Scorer ${scorerVersion}, bench ${bench}.`,
    describeOrigin(origin),
    'Means over sessions with 95 % intervals. Failures count in no score; – means unknown.',
    ...(evidence.families < evidence.sessions ? [FAMILY_COUNTS_ONCE] : []),
  ];
}

/** A share with its interval, in percent. */
export function spreadCell({ mean, ...ends }: IntervalEstimate) {
  return mean === null ? UNKNOWN : withPercentEnds(shareCell(mean), ends);
}

/** A difference of two shares with its interval, in points. */
export function pointsCell({ mean, ...ends }: IntervalEstimate) {
  return mean === null ? UNKNOWN : withPercentEnds(formatDifference(mean, 'ratio'), ends);
}

/** A share in whole percent. */
export function shareOf({ mean }: MeanEstimate) {
  return mean === null ? UNKNOWN : formatPercent(mean, 0);
}

function keptBy({ metrics: { factsKept, stringsKept } }: ArmReport) {
  return factsKept.mean ?? stringsKept.mean ?? -1;
}

/** Sessions that would be enough: an interval narrows with their root. */
function concludeAnswers(found: ArmDifference, arms: readonly ArmProbes[]) {
  const rightAfter = (name: string) => {
    const own = arms.find(({ arm }) => arm === name);
    return own === undefined ? UNKNOWN : shareOf(own.accuracy.compacted);
  };
  const { arm, base, difference, verdict } = found;
  const isOpen = verdict === 'within noise' || verdict === 'too few';
  const enough = `; about ${countOf(sessionsEnough(difference), 'session')} would be enough`;
  const answers = `${rightAfter(arm)} of the questions after the summary of ${arm} and ${rightAfter(base)} after that of ${base}`;
  return `The reader answers ${answers} (${pointsCell(difference)}): ${describeVerdict(found)}${isOpen ? enough : ''}.`;
}

function sessionsEnough({ mean, low, high, sessions, families }: MeanEstimate) {
  if (mean === null || low === null || high === null) return FEW_SESSIONS;
  const counted = families ?? sessions;
  const wanted = Math.max(Math.abs(mean), LEAST_DIFFERENCE);
  return Math.max(counted + 1, Math.ceil(counted * ((high - low) / 2 / wanted) ** 2));
}

function concludeFacts({ arms, differences }: SummarizersReport) {
  const known = arms.filter(({ metrics }) => metrics.factsKept.mean !== null);
  if (known.length === 0) return NO_FACTS;
  const kept = byKept(known).map(({ name, metrics }) => `${name} ${spreadCell(metrics.factsKept)}`);
  const judged = differences.filter(({ metric }) => metric === 'factsKept');
  const told = [...groupBy(judged, describeVerdict)].map(
    ([verdict, found]) => `${verdict} (${found.map(({ arm }) => arm).join(', ')})`,
  );
  const [first] = judged;
  const verdicts = first === undefined ? '' : ` Against ${first.base}: ${told.join('; ')}.`;
  return `Facts kept by the first summary: ${kept.join(', ')}.${verdicts}`;
}

function withPercentEnds(shown: string, ends: Omit<IntervalEstimate, 'mean'>) {
  const interval = knownInterval(ends);
  if (interval === null || interval.low === interval.high) return shown;
  const digits = interval.high - interval.low < NARROW ? 1 : 0;
  return withEnds(shown, interval, (end) => formatFixed(percentOf(end), digits));
}
