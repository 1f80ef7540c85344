import {
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatRatio,
} from '../amounts.ts';
import { countOf, UNKNOWN } from '../numbers.ts';
import { changedSettings, toConfigChange } from './config.ts';
import type {
  Advice,
  FrontMember,
  NamedSettings,
  ObjectiveOutcome,
  Sensitivity,
  TuneReport,
} from './tune-report.ts';

const INDENT = 2;
const ELASTICITY_DECIMALS = 3;
const DISTANCE_DECIMALS = 3;
const SHARE_DECIMALS = 3;
/** Settings from here on are shown without decimals. */
const LEAST_WHOLE = 10;

/** What an advice is told by. */
const WORDS: Readonly<Record<Advice['state'], string>> = {
  change: 'Change the settings: the knee is better, and nothing is worse.',
  'trade-off': 'A trade-off: the knee is better in some objectives and worse in others.',
  keep: "Keep today's settings.",
  'within noise': "No difference within noise: keep today's settings.",
  'too few': "Too few sessions to tell a difference from noise: keep today's settings.",
  'nothing feasible': 'No cell keeps the constraints.',
};

/** The same where a constraint decides. */
const REPAIR = "Change the settings: the knee keeps the constraints, today's do not.";
const NEITHER = "Neither the knee nor today's settings keep the constraints.";

/** Settings in one line; today's and others alike. */
export function describeSettings(settings: NamedSettings): string {
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? 'as today' : pairs.join(' ');
}

/** Titles and rows of the front. */
export function frontRows({ front, objectives }: TuneReport): readonly (readonly string[])[] {
  const titles = [
    'Front',
    ...objectives.map(({ label }) => `${label}, mean`),
    'Misses, mean',
    'On front',
    '',
  ];
  const rows = front.map(({ settings, values, misses, probability, isToday, isKnee }) => [
    describeSettings(settings),
    ...values.map((value, axis) => formatAmount(value, objectives[axis]?.unit ?? 'count')),
    describeMisses(misses),
    probability === null ? UNKNOWN : percent(probability),
    [...(isKnee ? ['knee'] : []), ...(isToday ? ['today'] : [])].join(', '),
  ]);
  return [titles, ...rows];
}

function describeMisses({ mean, atBest }: FrontMember['misses']): string {
  if (mean === null) return UNKNOWN;
  const shown = formatAmount(mean, 'count');
  return mean === 0 || atBest === null
    ? shown
    : `${shown} (${formatAmount(atBest, 'count')} at best)`;
}

/** How the grid went: sessions, cells and what breaks a constraint. */
export function describeGrid({ sessions, cells, constraints, resamples }: TuneReport): string {
  const { tuning, heldOut, leftOut } = sessions;
  const parts = [
    `${countOf(tuning, 'session')} tuned on, ${heldOut} held out, ${leftOut.length} left out`,
    `${countOf(cells.all, 'cell')}, ${cells.distinct} of them distinct, ${cells.infeasible.length} not feasible`,
    `constraints: ${['no refusal', 'no loop', ...constraints].join(', ')}`,
    `${resamples} resamples`,
  ];
  return `${parts.join('; ')}.`;
}

/** Where today's settings stand. */
export function describeTodayStatus({ today, objectives }: TuneReport): string {
  const name = `Today (${describeSettings(today.settings)}) is`;
  if (today.state !== 'dominated') {
    return today.state === 'infeasible' ? `${name} not feasible.` : `${name} on the front.`;
  }
  const savings = (today.savings ?? []).map((share, axis) => {
    const { label = '', better = 'lower' } = objectives[axis] ?? {};
    if (share === null) return `${label} ${UNKNOWN}`;
    return `${label} ${signedPercent(better === 'lower' ? -share : share)}`;
  });
  const distance = today.distance?.toFixed(DISTANCE_DECIMALS) ?? UNKNOWN;
  return `${name} dominated by ${describeSettings(today.dominatedBy ?? {})}: ${savings.join(', ')}; distance to the front ${distance}.`;
}

/** Where the knee lies. */
export function describeKneeLine({ knee }: TuneReport): string {
  if (knee === undefined) return '';
  const intervals = Object.entries(knee.intervals).map(
    ([name, { low, high }]) => `${name} ${formatSetting(low)} … ${formatSetting(high)}`,
  );
  const where = intervals.length === 0 ? '' : ` 95 % of resamples: ${intervals.join(', ')}.`;
  const often = knee.probability === null ? '' : `, in ${percent(knee.probability)} of resamples`;
  return `Knee: ${describeSettings(knee.settings)}${often}.${where}`;
}

/** How good the front is as a whole. */
export function describeVolume({ volume, objectives }: TuneReport): string {
  if (volume === undefined) return '';
  const { share, today, reference } = volume;
  const { value, interval } = share;
  const ends = interval === null ? '' : ` (${percent(interval.low)} … ${percent(interval.high)})`;
  const alone = today === null ? '' : `, today's settings alone ${percent(today)}`;
  const corners = reference.map(({ amount, of }, axis) => {
    const { label = '', unit = 'count' } = objectives[axis] ?? {};
    return `${label} ${formatAmount(amount, unit)} of ${of === 'none' ? 'never compacting' : 'the worst cell'}`;
  });
  return `Hypervolume of the front ${percent(value)}${ends}${alone}, against ${corners.join(', ')}.`;
}

/** What each setting does to the first objective. */
export function describeSensitivity({ sensitivity, objectives }: TuneReport): readonly string[] {
  const label = objectives[0]?.label ?? '';
  return sensitivity.map((one) => `${one.setting}: ${describeElasticity(one, label)}`);
}

/** The knee against today's settings. */
export function describeOutcome(outcome: ObjectiveOutcome): string {
  const { objective, today, tuned, kind, estimate, verdict } = outcome;
  const { label, unit } = objective;
  const means = `${formatAmount(today, unit)} → ${formatAmount(tuned, unit)}`;
  const change =
    kind === 'ratio'
      ? `geometric ratio ${formatRatio(estimate)}`
      : `${formatDifference(estimate.value, unit)} (${formatDifferenceInterval(estimate.interval, unit)})`;
  return `${label}: ${means}, ${change}: ${verdict}`;
}

/** What to do in the end, with what to write where something is to be changed. */
export function adviceLines({ advice, policy, today }: TuneReport): readonly string[] {
  const { state } = advice;
  const said = [verdictOf(advice), ...brokenLines(advice)];
  if (state !== 'change' && state !== 'trade-off') return said;
  const { file, set } = toConfigChange(policy, changedSettings({ today, advice }));
  return [
    ...said,
    ...(file ? ['', 'opencode.json:', JSON.stringify(file, null, INDENT)] : []),
    ...(set.length === 0
      ? []
      : [
          '',
          'Without a key in a configuration; in this program:',
          set.map((pair) => `--set ${pair}`).join(' '),
        ]),
  ];
}

function verdictOf({ state, broken, brokenByToday }: Advice): string {
  if (brokenByToday.length === 0) return WORDS[state];
  if (state === 'change') return REPAIR;
  return broken.length > 0 ? NEITHER : WORDS[state];
}

function brokenLines({ broken, brokenByToday }: Advice): readonly string[] {
  return [
    ...broken.map((obstacle) => `The knee breaks a constraint: ${obstacle}.`),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
  ];
}

function describeElasticity({ isDead, elasticity }: Sensitivity, label: string): string {
  if (isDead) return 'a dead knob, no value of it changes anything';
  if (elasticity === null) {
    return `no elasticity: fewer than two cells in which it and ${label} are above 0`;
  }
  const { value, interval } = elasticity;
  const ends =
    interval === null
      ? ''
      : ` (${interval.low.toFixed(ELASTICITY_DECIMALS)} … ${interval.high.toFixed(ELASTICITY_DECIMALS)})`;
  return `${label} ${signed(value)} %${ends} for 1 % more`;
}

/** Shares are settings too. */
function formatSetting(value: number): string {
  const isShare = Math.abs(value) < LEAST_WHOLE;
  return String(isShare ? Number(value.toFixed(SHARE_DECIMALS)) : Math.round(value));
}

function signed(value: number): string {
  const text = value.toFixed(ELASTICITY_DECIMALS);
  return value > 0 ? `+${text}` : text;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function signedPercent(share: number): string {
  const text = `${(100 * share).toFixed(1)} %`.replace(/^-(?=0\.0 )/, '');
  return share > 0 ? `+${text}` : text;
}
