import { listed } from '../lib/text.ts';
import {
  countFamilies,
  countOf,
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatPercent,
  formatRatio,
} from './numbers.ts';
import {
  type Advice,
  type Candidate,
  describeSettings,
  isWorse,
  type NamedSettings,
  type ObjectiveOutcome,
  type TuneReport,
} from './tune-report.ts';

/** The advice in words. */
interface AdviceText {
  readonly said: readonly string[];
  /** A sentence on the effect of the settings, right above them; empty where that is said already. */
  readonly lead: readonly string[];
  /** Texts to be pasted unchanged, each with its place. */
  readonly written: readonly { readonly where: string; readonly text: string }[];
}

/** Configuration by which settings hold from now on. */
interface ConfigChange {
  /** For `opencode.json`; absent where no setting has a key there. */
  readonly file?: { readonly compaction: Readonly<Record<string, unknown>> };
  /** Settings that OpenCode has no key for, as they are given to this program. */
  readonly set: readonly string[];
}

/** Major, minor and patch of a release. */
type Release = readonly [major: number, minor: number, patch: number];

const INDENT = 2;
const ONLY_HERE = 'Without a key in opencode.json; in this program:';

const KEEP = "Keep today's settings.";

/** Sentences for the states of an advice. */
const WORDS: Readonly<Record<Advice['state'], string>> = {
  change: 'Change the settings: the knee is better, and nothing is worse.',
  'trade-off': 'A trade-off: the knee is better in some objectives and worse in others.',
  keep: KEEP,
  'within noise': "No difference beyond noise: keep today's settings.",
  'too few': "Too few sessions to tell a difference from noise: keep today's settings.",
  'nothing feasible': 'No cell meets the constraints.',
};

/** The same where the front has no knee. */
const WORDS_WITHOUT_KNEE: Readonly<Partial<Record<Advice['state'], string>>> = {
  change: 'Change the settings: a member of the front is better, and nothing is worse.',
  'trade-off':
    'A trade-off: the front has no knee, and no member compared is better without being worse in something.',
};

/** The same where all cells came to the same, whatever value a setting had; of one value nothing can be said. */
const NOTHING_MATTERS =
  "Nothing that was varied makes a difference in these sessions: keep today's settings.";

/** Why today's settings are kept, where no constraint decides. */
const THEY_ARE_THE_KNEE = "Keep today's settings: they are the knee.";
const NO_MEMBER_IS_BETTER =
  "Keep today's settings: no member of the front that was compared is better beyond noise, and at least one is worse.";

/** The same where a constraint decides. */
const REPAIR = " meets the constraints, today's do not.";
const NEITHER = " nor today's settings meet the constraints.";

/** Keys below `compaction` by setting, of the releases before 2.0, with the first that reads them. Source: OpenCode release history. */
const KEYS: Readonly<Record<string, { readonly key: string; readonly since: Release }>> = {
  auto: { key: 'auto', since: [1, 0, 204] },
  prune: { key: 'prune', since: [1, 0, 204] },
  reserved: { key: 'reserved', since: [1, 1, 57] },
  tailTurns: { key: 'tail_turns', since: [1, 14, 19] },
  tailTokens: { key: 'preserve_recent_tokens', since: [1, 14, 19] },
};

/** The same since 2.0, where a dot leads into a group. */
const KEYS_OF_2: Readonly<Record<string, string>> = {
  auto: 'auto',
  reserved: 'buffer',
  keepTokens: 'keep.tokens',
};

const RELEASE = /^opencode-(\d+)\.(\d+)(?:\.(\d+))?$/;
const FIRST_OF_2 = 2;
/** Documents describe releases before 2.0, but none of them exactly. */
const IS_DOCUMENT = /^document-00/;
const ANY_BEFORE_2: Release = [1, Infinity, Infinity];

/** An objective under a candidate against today's settings. */
export function describeOutcome(outcome: ObjectiveOutcome): string {
  const { objective, today, tuned, kind, estimate, pValue, verdict } = outcome;
  const { label, unit } = objective;
  const means = `${formatAmount(today, unit)} → ${formatAmount(tuned, unit)}`;
  const change =
    kind === 'ratio'
      ? `geometric ratio ${formatRatio(estimate)}`
      : `${formatDifference(estimate.value, unit)} (${formatDifferenceInterval(estimate.interval, unit)})`;
  const certainty = pValue === null ? '' : `, p ${formatP(pValue)}`;
  return `${label}: ${means}, ${change}: ${verdict}${certainty}`;
}

/** Describes the advice, with the text to paste where something is to be changed. */
export function adviceOf(report: TuneReport): AdviceText {
  const { advice, front } = report;
  const { state } = advice;
  const others = front.filter(({ isToday }) => !isToday).length - advice.compared.length;
  const said = [verdictOf(report), ...candidateLines(advice, others), ...brokenLines(advice)];
  if (state !== 'change' && state !== 'trade-off') return { said, lead: [], written: [] };
  const lead = hasKnee(advice) ? [] : [`To have ${describeSettings(advice.settings)}, write:`];
  return { said: [...said, ...needlessLines(report)], lead, written: toWrite(report) };
}

/** The name of a candidate. */
export function nameOf({ isKnee, settings }: Candidate): string {
  return isKnee ? 'The knee' : describeSettings(settings);
}

/** Which sessions a candidate is compared with today's settings on: those that went well under both. */
export function describeBasis(
  { outcomes }: Candidate,
  { advice: { isHeldOut }, sessions: { heldOut, tuning } }: TuneReport,
): string {
  const all = isHeldOut ? heldOut : tuning;
  const { sessions: compared, families } = outcomes[0] ?? { sessions: all, families: all };
  const which = compared < all ? `${compared} of ${all}` : 'the';
  const ofFamilies = families < compared ? ` in ${countFamilies(families)}` : '';
  const part = isHeldOut ? 'held out' : 'tuned on, so this flatters';
  return `against today, on ${which} sessions${ofFamilies} ${part}`;
}

/** The configuration by which some settings hold under a policy. */
export function toConfigChange(policy: string, settings: NamedSettings): ConfigChange {
  const keys = keysOf(policy);
  const compaction: Record<string, unknown> = {};
  const set: string[] = [];
  for (const [name, value] of Object.entries(settings)) {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key === undefined) set.push(`${name}=${value}`);
    else {
      const [group, inner] = key.split('.');
      if (inner === undefined) compaction[key] = value;
      else compaction[group ?? key] = { [inner]: value };
    }
  }
  return { ...(Object.keys(compaction).length > 0 && { file: { compaction } }), set };
}

/** The settings that differ from today's; the others need not be written. */
export function changedSettings(settings: NamedSettings, today: NamedSettings): NamedSettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => today[name] !== value),
  );
}

function verdictOf(report: TuneReport): string {
  const { advice, cells, sensitivity } = report;
  const { state, compared, brokenByToday } = advice;
  const isAllDead = cells.distinct === 1 && sensitivity.every(({ isDead }) => isDead);
  if (state === 'keep') return isAllDead ? NOTHING_MATTERS : whyKept(report);
  const words = (hasKnee(advice) ? undefined : WORDS_WITHOUT_KNEE[state]) ?? WORDS[state];
  if (brokenByToday.length === 0) return words;
  const subject = hasKnee(advice) ? 'the knee' : 'a member of the front';
  if (state === 'change') return `Change the settings: ${subject}${REPAIR}`;
  return compared.some(({ broken }) => broken.length > 0) ? `Neither ${subject}${NEITHER}` : words;
}

/** Explains why settings are kept; broken constraints have a line of their own. */
function whyKept({ advice: { compared }, front }: TuneReport): string {
  if (compared.some(({ broken }) => broken.length > 0)) return KEEP;
  const knee = compared.find(({ isKnee }) => isKnee);
  if (knee === undefined) return compared.length === 0 ? KEEP : NO_MEMBER_IS_BETTER;
  const worse = knee.outcomes.filter(isWorse).map(({ objective: { label } }) => label);
  if (worse.length > 0) {
    return `Keep today's settings: the knee is worse in ${listed(worse, 'and')}, and nothing is better beyond noise.`;
  }
  return front.some(({ isKnee, isToday }) => isKnee && isToday) ? THEY_ARE_THE_KNEE : KEEP;
}

function hasKnee({ compared }: Advice): boolean {
  return compared.some(({ isKnee }) => isKnee);
}

/** Describes in what members of a front without a knee are better and worse, with verdicts. */
function candidateLines(advice: Advice, others: number): readonly string[] {
  if (hasKnee(advice)) return [];
  const lines = advice.compared
    .filter(({ outcomes }) => outcomes.length > 0)
    .map((candidate) => `${nameOf(candidate)}: ${describeSides(candidate)}.`);
  const more = others > 0 && lines.length > 0;
  return more ? [...lines, `${countOf(others, 'other member')} of the front not compared.`] : lines;
}

function describeSides({ outcomes }: Candidate): string {
  const sides = outcomes.map(({ objective: { label, unit }, today, tuned, verdict }) => {
    return `${label} ${formatDifference(tuned - today, unit)} (${verdict})`;
  });
  return sides.join(', ');
}

function brokenLines({ compared, brokenByToday }: Advice): readonly string[] {
  return [
    ...compared.flatMap((candidate) =>
      candidate.broken.map((obstacle) => `${nameOf(candidate)} breaks a constraint: ${obstacle}.`),
    ),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
  ];
}

function needlessLines({ advice, today, unlisted }: TuneReport): readonly string[] {
  const { needless = [] } = advice;
  if (needless.length === 0) return [];
  const kept = needless.map((name) => `${name}=${today.settings[name] ?? 'as it is'}`);
  return [
    `What makes no difference of ${formatPercent(unlisted.within)} stays: ${kept.join(', ')}.`,
  ];
}

function toWrite({ policy, today, advice }: TuneReport): AdviceText['written'] {
  const { file, set } = toConfigChange(policy, changedSettings(advice.settings, today.settings));
  const pairs = set.map((pair) => `--set ${pair}`).join(' ');
  return [
    ...(file ? [{ where: 'opencode.json:', text: JSON.stringify(file, null, INDENT) }] : []),
    ...(pairs === '' ? [] : [{ where: ONLY_HERE, text: pairs }]),
  ];
}

function keysOf(policy: string): Readonly<Record<string, string>> {
  const release = releaseOf(policy);
  if (release === undefined) return {};
  if (release[0] >= FIRST_OF_2) return KEYS_OF_2;
  const known = Object.entries(KEYS).filter(([, { since }]) => !isBefore(release, since));
  return Object.fromEntries(known.map(([name, { key }]) => [name, key]));
}

function releaseOf(policy: string): Release | undefined {
  if (IS_DOCUMENT.test(policy)) return ANY_BEFORE_2;
  const [, major, minor, patch = 0] = RELEASE.exec(policy) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function isBefore(release: Release, since: Release): boolean {
  const place = release.findIndex((number, index) => number !== since[index]);
  return place !== -1 && (release[place] ?? 0) < (since[place] ?? 0);
}
