import { countEach, groupBy } from '../lib/collections.ts';
import { compareTexts } from '../lib/text.ts';
import { isSameModel, withoutRelease } from '../provider/catalog.ts';
import { formatCount } from './numbers.ts';

/** What sessions were recorded with, as far as it is known. */
export interface RecordedModels {
  readonly sessions: number;
  /** How many of them each model recorded, by `provider/model`; a session of an unknown model is in none. */
  readonly models: Readonly<Record<string, number>>;
}

/** A recorded session, as far as this matters. */
interface Recorded {
  /** `provider/model` of its first step that names one; absent where none does. */
  readonly recordedModel?: string | undefined;
  /** Why it is not replayed; absent for one that is. */
  readonly skipped?: string | undefined;
}

/** Whom recorded sessions are replayed against, and how a recorded name is shown. */
interface Replay {
  readonly against: readonly string[];
  readonly show?: ((name: string) => string) | undefined;
}

type Counted = readonly [model: string, sessions: number];

/** Models that are named in the sentence. */
const MOST_NAMED = 3;
/** What plays the models of sessions that the bench itself recorded: nobody sells it. */
const OWN_PROVIDER = 'compaction-bench/';

/** Counts sessions that are replayed by the model that each was recorded with, where that is known. */
export function countRecordedModels(sessions: readonly Recorded[]): RecordedModels {
  const replayed = sessions.filter(({ skipped }) => skipped === undefined);
  const known = replayed.flatMap(({ recordedModel }) => recordedModel ?? []);
  return { sessions: replayed.length, models: Object.fromEntries(byName(countEach(known))) };
}

/** How many sessions were recorded with another model than they are replayed against, in a sentence; none where nobody knows of one. */
export function describeRecordedModels(
  recorded: RecordedModels | undefined,
  { against, show = String }: Replay,
): readonly string[] {
  if (recorded === undefined) return [];
  const { sessions, models } = recorded;
  const known = Object.entries(models).filter(([model]) => !model.startsWith(OWN_PROVIDER));
  const others = known.filter(([model]) => !against.some((own) => isSameModel(model, own)));
  const count = totalOf(others);
  if (count === 0) return [];
  if (sessions === 1) return describeOne(others, show);
  const of = totalOf(known) === sessions ? 'sessions' : 'sessions whose model is known';
  const were = count === 1 ? 'was recorded with another model' : 'were recorded with other models';
  const replayed = count === 1 ? 'it is replayed' : 'they are replayed';
  return [
    `${formatCount(count)} of ${formatCount(totalOf(known))} ${of} ${were} (${nameModels(others, show)}): '--model' says against which one ${replayed} and billed.`,
  ];
}

function describeOne(
  recorded: readonly Counted[],
  show: (name: string) => string,
): readonly string[] {
  return recorded.map(
    ([model]) =>
      `The session was recorded with ${show(withoutRelease(model))}: '--model' says against which model it is replayed and billed.`,
  );
}

/** Models by how many sessions each recorded, the most frequent first; of many the first ones. */
function nameModels(recorded: readonly Counted[], show: (name: string) => string): string {
  const byModel = groupBy(recorded, ([model]) => withoutRelease(model));
  const summed = [...byModel].map(([model, releases]) => [model, totalOf(releases)] as const);
  const counted = byName(summed).toSorted(([, a], [, b]) => b - a);
  const others = counted.length - MOST_NAMED;
  return [
    ...counted
      .slice(0, MOST_NAMED)
      .map(([model, sessions]) => `${show(model)} in ${formatCount(sessions)}`),
    ...(others > 0 ? [`${formatCount(others)} more`] : []),
  ].join(', ');
}

function byName(counted: Iterable<Counted>): readonly Counted[] {
  return [...counted].toSorted(([a], [b]) => compareTexts(a, b));
}

function totalOf(counted: readonly Counted[]): number {
  return counted.reduce((total, [, sessions]) => total + sessions, 0);
}
