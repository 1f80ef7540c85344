import { groupBy } from '../lib/collections.ts';
import type { Verdict } from '../metrics/statistics/verdict.ts';
import {
  countOf,
  formatCount,
  formatDifference,
  formatPercent,
  percentOf,
  UNKNOWN,
} from './numbers.ts';
import {
  type ArmDifference,
  type ArmMetricName,
  armMetrics,
  type ArmReport,
  describeJudge,
  isUndecided,
  type MeanEstimate,
  type SummarizersReport,
} from './summarizers-report.ts';

type List = (names: readonly string[]) => string;
type Judged = 'answered' | 'factsKept';
type Probes = NonNullable<SummarizersReport['probes']>;

interface Fault {
  readonly told: string;
  readonly has: (arm: ArmReport) => boolean;
  /** Told beside the name of the arm. */
  readonly shows?: ArmMetricName;
}

/** Answers within two points are no difference that matters. Source: evaluation design, section 9.5. */
const LEAST_DIFFERENCE = 0.02;
const FEW_SESSIONS = 10;
/** More are counted on a screen, whose table has them. */
const FEW_NAMES = 2;
const ONE_IN_TWENTY = 0.05;
const FEW_FACTS = 0.2;
const STRINGS_BY_CHANCE = 0.005;

const OF_SESSION = ['factsKept', 'valueAlone', 'contradicted', 'stale', 'stringsKept'] as const;

const NO_READER =
  "No reader was named ('--reader ai:…'): no summary is called better than another.";
const NO_FACTS = 'Without facts nothing says what should be kept; no arm is better or worse.';
const NOTHING_TO_ASK =
  'No question could be asked: nothing was compacted, or no later step needs what only the compacted part says.';

/** Of an arm, the first that it has. */
const FAULTS: readonly Fault[] = [
  {
    told: 'Over 5 % of the facts told wrong',
    has: (arm) => meanOf(arm, 'toldWrong') > ONE_IN_TWENTY && !keepsNothing(arm),
    shows: 'toldWrong',
  },
  { told: 'Keeps nothing of this session', has: keepsNothing },
  {
    told: 'Values without what they belong to',
    has: (arm) => meanOf(arm, 'valueAlone') > Math.max(meanOf(arm, 'factsKept'), ONE_IN_TWENTY),
    shows: 'valueAlone',
  },
  {
    told: 'Under a fifth of the facts kept',
    has: ({ metrics: { factsKept } }) => (factsKept.mean ?? 1) < FEW_FACTS,
  },
];

/** Sentences, the answer first, with so many names each. */
export function conclude(report: SummarizersReport, most = FEW_NAMES): readonly string[] {
  const { arms, probes, judge } = report;
  const list: List = (names) => {
    const some = names.slice(0, most).join(', ');
    return names.length > most ? `${some} and ${formatCount(names.length - most)} more` : some;
  };
  const answer = probes
    ? [concludeAnswers(arms, probes, list)]
    : [NO_READER, concludeFacts(arms, list)];
  const judged = judge === undefined ? [] : [describeJudge(judge)];
  const more = [...judged, ...describeFaults(arms, list), ...describeExcess(report, list)];
  return [...answer, ...more, ...compareWithBase(report, probes ? 'answered' : 'factsKept', list)];
}

/** Arms as a reader orders them: by what it answers, else by facts kept and then by fewest that are wrong. */
export function byWorth(arms: readonly ArmReport[]): readonly ArmReport[] {
  return arms.toSorted((one, other) => {
    const [own, others] = [worthOf(one), worthOf(other)];
    return others.map((value, at) => value - (own[at] ?? 0)).find((value) => value !== 0) ?? 0;
  });
}

/** The verdict on a difference in words. Only answers of a reader make an arm better or worse. */
export function describeVerdict({ metric, verdict }: ArmDifference) {
  const [lower = verdict, higher = verdict] = armMetrics[metric].differs ?? [];
  const words: Readonly<Record<Verdict | 'unjudged', string>> = {
    unjudged: 'nothing judges this',
    lower,
    higher,
    equivalent: 'no difference that matters',
    'within noise': 'not enough data',
    'too few': 'not enough data',
  };
  return words[verdict];
}

/** A share in whole percent. */
export function shareOf({ mean }: Pick<MeanEstimate, 'mean'>) {
  return mean === null ? UNKNOWN : formatPercent(mean, 0);
}

function worthOf(arm: ArmReport) {
  return [meanOf(arm, 'answered'), meanOf(arm, 'factsKept'), -meanOf(arm, 'toldWrong')];
}

function concludeFacts(arms: readonly ArmReport[], list: List) {
  const ranked = list(rank(arms, 'factsKept'));
  return ranked === '' ? NO_FACTS : `Facts kept after the first compaction: ${ranked}.`;
}

function concludeAnswers(arms: readonly ArmReport[], probes: Probes, list: List) {
  const questions = Math.max(...probes.arms.map((own) => own.questions));
  const first = probes.arms.find((own) => own.questions === questions);
  if (first === undefined || questions === 0) return NOTHING_TO_ASK;
  const { full, none } = first.accuracy;
  const bounds = `answers ${shareOf(full)} of ${countOf(questions, 'question')} from the whole session, ${shareOf(none)} from nothing`;
  return isUndecided(probes)
    ? `This reader cannot answer even with the whole session; nothing is decided. It ${bounds}.`
    : `The reader ${bounds}, after a summary of ${list(rank(arms, 'answered'))}.`;
}

function rank(arms: readonly ArmReport[], metric: Judged) {
  const known = byWorth(arms).filter(({ metrics }) => metrics[metric].mean !== null);
  return known.map(({ name, metrics }) => `${name} ${shareOf(metrics[metric])}`);
}

function compareWithBase({ differences }: SummarizersReport, metric: Judged, list: List) {
  const judged = differences.filter(
    (found) => found.metric === metric && found.verdict !== 'unjudged',
  );
  const told = [...groupBy(judged, describeVerdict)].map(([verdict, found]) => {
    const isOpen = found.some((one) => one.verdict === 'within noise' || one.verdict === 'too few');
    const enough = Math.max(...found.map(({ difference }) => sessionsEnough(difference)));
    const more = isOpen ? `; about ${countOf(enough, 'session')} would be enough` : '';
    const names = found.map(({ arm, difference: { mean } }) =>
      mean === null ? arm : `${arm} ${formatDifference(mean, 'ratio')}`,
    );
    return `${verdict} (${list(names)}${metric === 'answered' ? more : ''})`;
  });
  return told.length === 0 ? [] : [`Against ${judged[0]?.base}: ${told.join('; ')}.`];
}

/** Sessions that would be enough: an interval narrows with their root. */
function sessionsEnough({ mean, low, high, sessions, families }: MeanEstimate) {
  if (mean === null || low === null || high === null) return FEW_SESSIONS;
  const counted = families ?? sessions;
  const wanted = Math.max(Math.abs(mean), LEAST_DIFFERENCE);
  return Math.max(counted + 1, Math.ceil(counted * ((high - low) / 2 / wanted) ** 2));
}

function describeFaults(arms: readonly ArmReport[], list: List) {
  const ranked = byWorth(arms)
    .filter(({ failures }) => failures.pivots > 0)
    .toReversed();
  return FAULTS.flatMap(({ told, shows }) => {
    const own = ranked.filter((arm) => FAULTS.find(({ has }) => has(arm))?.told === told);
    const worstFirst = own.toSorted((a, b) => (shows ? meanOf(b, shows) - meanOf(a, shows) : 0));
    const names = worstFirst.map(({ name, metrics }) =>
      shows === undefined ? name : `${name} ${shareOf(metrics[shows])}`,
    );
    return names.length === 0 ? [] : [`${told}: ${list(names)}.`];
  });
}

function keepsNothing(arm: ArmReport) {
  const { factsKept, stringsKept } = arm.metrics;
  if (factsKept.mean === null)
    return stringsKept.mean !== null && stringsKept.mean < STRINGS_BY_CHANCE;
  return OF_SESSION.every((metric) => meanOf(arm, metric) <= ONE_IN_TWENTY);
}

function describeExcess({ arms, probes }: SummarizersReport, list: List) {
  const told = arms.flatMap(({ name, failures }) => {
    const left = probes?.arms.find(({ arm }) => arm === name)?.left;
    if (left === undefined || Math.round(percentOf(left.mean ?? 0)) <= percentOf(1)) return [];
    return [`${name} ${shareOf(left)}, ${whyAbove(left, failures)}`];
  });
  return told.length === 0 ? [] : [`More left than there was: ${list(told)}.`];
}

function whyAbove({ low }: MeanEstimate, { nonCompressing, pivots }: ArmReport['failures']) {
  const times = `${formatCount(nonCompressing)} of ${formatCount(pivots)}`;
  if (nonCompressing > 0) return `as its summary is longer than what it replaces (${times})`;
  return (low ?? 0) <= 1 ? 'within noise' : 'as the reader finds more in less text';
}

function meanOf({ metrics }: ArmReport, name: ArmMetricName) {
  return metrics[name].mean ?? 0;
}
