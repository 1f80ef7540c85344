import { countEach, groupBy, sum } from '../lib/collections.ts';
import { compareTexts, listed } from '../lib/text.ts';
import type { CountedState, RunRecord } from '../metrics/record.ts';
import { isSameModel, withoutRelease } from '../provider/catalog.ts';
import { RECORDED } from '../replay/recorded.ts';
import type { SettingValues } from '../scenario/settings.ts';
import { OWN_PROVIDER } from '../session/session.ts';
import { type Block, linesOf, listOf, untrusted } from './document.ts';
import { cutLeft, shownText } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import type { UnreadInput } from './report.ts';
import type { Checked, OriginShape, RecordedShape, TokenizerShape } from './saved/shapes.ts';

export type Origin = Checked<typeof OriginShape>;

type RecordedModels = Checked<typeof RecordedShape>;

/** `measured` where it is the model's own. */
type TokenizerBasis = Checked<typeof TokenizerShape>;

type Counted = readonly [model: string, sessions: number];

export const OF_UNMEASURED =
  "Tokens are scaled to a session's recorded usage; where it has none they are not, and its system prompt and tools are assumed: 'run' tells which.";

/** JSON documents name all. */
const MOST_NAMED = 3;
const SHOWN_SOURCE = 24;
/** By how many characters names grow that look the same. */
const GROWTH = 8;

type BaselineName = NonNullable<RunRecord['baseline']>;

interface MeasuredRun extends Pick<RunRecord, 'session'> {
  readonly state: CountedState;
  readonly baseline?: BaselineName | undefined;
  readonly metrics: Readonly<Record<string, number | null>>;
}

export function describeOrigin(origin: Origin) {
  const set = pairsOf(origin.settings);
  const models = Object.keys(origin.tokenizers ?? {});
  return [
    set.length === 0 ? '' : `Set: ${set.join(', ')}.`,
    describeMakers(origin),
    models.length > 0 ? OF_UNMEASURED : '',
    ...describeRecordedModels(origin.recorded, { against: models }),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** Empty where none is known. */
export function describeMakers({ version, catalog, tokenizers = {} }: Partial<Origin> = {}) {
  const counted = countedBy(tokenizers);
  const makers = [
    ...(version === undefined ? [] : [`compaction-bench ${version}`]),
    ...(catalog === undefined ? [] : [`catalog ${catalog.source} ${catalog.hash}`]),
    ...(counted.length === 0 ? [] : [`tokens of ${counted.join(', ')}`]),
  ];
  return makers.length === 0 ? '' : `Made by: ${makers.join(', ')}.`;
}

/** The basis of the numbers of a screen, behind what they lack. */
export function basisLine(...lines: readonly string[]): Block {
  return linesOf(lines.map(untrusted), { color: 'dim', only: 'screen', isBasis: true });
}

/** The basis of numbers: on a screen in a line, else in full. */
export function basisBlocks(
  origin: Origin = { settings: {} },
  lines: readonly string[] = [describeOrigin(origin)],
): readonly Block[] {
  const { version, catalog } = origin;
  const source = cutLeft(catalog?.source ?? '', SHOWN_SOURCE);
  return [
    basisLine(describeMakers({ version, catalog: catalog && { ...catalog, source } })),
    linesOf(lines.map(untrusted), { areItems: lines.length > 1, isDetail: true }),
  ];
}

export function pairsOf(settings: Readonly<Record<string, number | boolean | string>>) {
  return Object.entries(settings).map(([key, value]) => `${key}=${value}`);
}

/** Tokenizers with the first models that they count for. */
export function countedBy(tokenizers: Readonly<Record<string, TokenizerBasis>>) {
  const models = Object.entries(tokenizers).toSorted(([a], [b]) => compareTexts(a, b));
  const byTokenizer = groupBy(models, ([, basis]) => describeTokenizer(basis));
  return [...byTokenizer].map(([tokenizer, counted]) => {
    const names = counted.slice(0, MOST_NAMED).map(([model]) => model);
    const others = counted.length - names.length;
    const all = [...names, ...(others > 0 ? [`${formatCount(others)} more`] : [])];
    return `${listed(all, 'and')} by ${tokenizer}`;
  });
}

export function describeTokenizer({ name, evidence }: TokenizerBasis) {
  return `${name} (${evidence === 'measured' ? "the model's own" : "not the model's own: estimated"})`;
}

/** The settings that have the same value wherever any of them is set. */
export function commonSettings(all: readonly SettingValues[]): SettingValues {
  const [first = {}, ...others] = all;
  const isCommon = ([key, value]: [string, unknown]) =>
    others.every((settings) => settings[key as keyof SettingValues] === value);
  return Object.fromEntries(Object.entries(first).filter(isCommon));
}

/** Paths cut from the left, less where two would look the same. */
export function namePaths(
  paths: readonly string[],
  maxCharacters: number,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let rest: readonly string[] = [...new Set(paths)];
  for (let width = maxCharacters; rest.length > 0; width += GROWTH) {
    for (const path of rest) names.set(path, cutLeft(shownText(path), width));
    const counts = countEach(rest.map((path) => names.get(path)));
    rest = rest.filter((path) => {
      const name = names.get(path);
      return (counts.get(name) ?? 0) > 1 && name !== shownText(path);
    });
  }
  return names;
}

/** `isOwn` where each session keeps its model. */
export function countRecordedModels(
  sessions: readonly {
    readonly recordedModel?: string | undefined;
    readonly skipped?: string | undefined;
  }[],
  isOwn: boolean = false,
): RecordedModels {
  const replayed = sessions.filter(({ skipped }) => skipped === undefined);
  const known = replayed.flatMap(({ recordedModel }) => recordedModel ?? []);
  const models = Object.fromEntries(byName(countEach(known)));
  return { sessions: replayed.length, models, ...(isOwn && { isOwn }) };
}

/** None where nobody knows of one. */
export function describeRecordedModels(
  recorded: RecordedModels | undefined,
  {
    against,
    show = String,
  }: { readonly against: readonly string[]; readonly show?: (name: string) => string },
) {
  if (recorded === undefined) return [];
  const { sessions, models, isOwn } = recorded;
  const known = Object.entries(models).filter(([model]) => !model.startsWith(OWN_PROVIDER));
  const others = known.filter(([model]) => !against.some((own) => isSameModel(model, own)));
  const [[model] = ['']] = others;
  const [count, all] = [totalOf(others), totalOf(known)];
  if (count === 0) return [];
  if (isOwn)
    return [`Each session is replayed and billed with its own model: ${nameModels(known, show)}.`];
  if (sessions === 1) {
    return [
      `The session was recorded with ${show(withoutRelease(model))}: '--model' says against which model it is replayed and billed.`,
    ];
  }
  const of = all === sessions ? 'sessions' : 'sessions whose model is known';
  const [were, replayed] =
    count === 1
      ? ['was recorded with another model', 'it is replayed']
      : ['were recorded with other models', 'they are replayed'];
  return [
    `${formatCount(count)} of ${formatCount(all)} ${of} ${were} (${nameModels(others, show)}): '--model' says against which one ${replayed} and billed.`,
  ];
}

/** Saved runs may have savings and not tell of what. */
export function countBaselines(runs: Iterable<MeasuredRun>) {
  const bySession = new Map<string, BaselineName | undefined>();
  for (const { session, state, baseline, metrics } of runs) {
    const isUntold = baseline === undefined && typeof metrics['tokensSaved'] === 'number';
    if (isUntold || state === 'skipped' || state === 'failed') continue;
    bySession.set(session, bySession.get(session) ?? baseline);
  }
  const names = [...bySession.values()];
  const count = (wanted: BaselineName | undefined) =>
    names.filter((name) => name === wanted).length;
  return { recorded: count('recorded'), none: count('none'), unknown: count(undefined) };
}

export function describeBaselines(
  { recorded, none, unknown }: ReturnType<typeof countBaselines>,
  unrecordedRequests: number,
) {
  const against = (
    [
      [recorded, 'against the run as recorded'],
      [none, 'against never compacting'],
      [unknown, 'unknown, since never compacting exceeds the window'],
    ] as const
  ).flatMap(([count, words]) => (count === 0 ? [] : [`${words} (${countOf(count, 'session')})`]));
  if (against.length === 0) return [];
  const lack = `The usage of ${countOf(unrecordedRequests, 'request')} is not recorded, as of most summary calls: '${RECORDED}' costs at least what is shown, and savings against it are at least as large.`;
  return [
    `Savings are net of summary calls: ${against.join('; ')}.`,
    ...(unrecordedRequests === 0 ? [] : [lack]),
  ];
}

export function describeSavings(runs: readonly (MeasuredRun & Pick<RunRecord, 'policy'>)[]) {
  const recorded = runs.filter(({ policy }) => policy === RECORDED);
  // A session may stand there for several models.
  const lacks = new Map(
    recorded.map(({ session, metrics }) => [session, metrics['unrecordedRequests'] ?? 0]),
  );
  return describeBaselines(countBaselines(runs), sum([...lacks.values()]));
}

export function unreadList(unread: readonly UnreadInput[]): Extract<Block, { type: 'list' }> {
  const items = unread.map((input) => untrusted(describeUnread(input)));
  return listOf('Unread', items);
}

/** Most reasons name their file. */
export function describeUnread({ file, reason }: UnreadInput) {
  return reason.includes(file) ? reason : `${file}: ${reason}`;
}

/** The problems of an input, one by one, each with its file. */
export function unreadProblems(unread: UnreadInput) {
  const start = `${unread.file}:`;
  const [first = '', ...rest] = describeUnread(unread).split(`\n${start}`);
  return [first, ...rest.map((problem) => `${start}${problem}`)];
}

function byName(counted: Iterable<Counted>) {
  return [...counted].toSorted(([a], [b]) => compareTexts(a, b));
}

function totalOf(counted: readonly Counted[]) {
  return sum(counted.map(([, sessions]) => sessions));
}

function nameModels(recorded: readonly Counted[], show: (name: string) => string) {
  const byModel = groupBy(recorded, ([model]) => withoutRelease(model));
  const summed = [...byModel].map(([model, releases]) => [model, totalOf(releases)] as const);
  const counted = byName(summed)
    .toSorted(([, a], [, b]) => b - a)
    .map(([model, sessions]) => `${show(model)} in ${formatCount(sessions)}`);
  const others = counted.length - MOST_NAMED;
  const more = others > 0 ? [`${formatCount(others)} more`] : [];
  return [...counted.slice(0, MOST_NAMED), ...more].join(', ');
}
