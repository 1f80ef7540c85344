import { compareTexts } from '../compare-texts.ts';
import { groupBy } from '../group-by.ts';
import { isSameModel, withoutRelease } from '../provider/same-model.ts';
import { formatCount } from './numbers.ts';
import type { Provenance } from './report.ts';

/** Models that are named in the sentence. */
const MOST_NAMED = 3;
/** What plays the models of sessions that the bench itself recorded: nobody sells it. */
const OWN_PROVIDER = 'compaction-bench/';

/** How many sessions were recorded with another model than they are replayed against, in a sentence; none where nobody knows of one. */
export function describeRecordedModels(
  { model, estimators: { sessions } }: Provenance,
  show: (name: string) => string = String,
): readonly string[] {
  const known = sessions
    .flatMap(({ recordedModel }) => recordedModel ?? [])
    .filter((recorded) => !recorded.startsWith(OWN_PROVIDER));
  const others = known.filter((recorded) => !isSameModel(recorded, model));
  if (others.length === 0) return [];
  const of = known.length === sessions.length ? 'sessions' : 'sessions whose model is known';
  const were =
    others.length === 1 ? 'was recorded with another model' : 'were recorded with other models';
  const replayed = others.length === 1 ? 'it is replayed' : 'they are replayed';
  return [
    `${formatCount(others.length)} of ${formatCount(known.length)} ${of} ${were} (${nameModels(others, show)}): '--model' says against which one ${replayed} and billed.`,
  ];
}

/** Models by how many sessions each recorded, the most frequent first; of many the first ones. */
function nameModels(recorded: readonly string[], show: (name: string) => string): string {
  const counted = [...groupBy(recorded, withoutRelease)]
    .map(([model, { length }]) => ({ model, length }))
    .toSorted((a, b) => b.length - a.length || compareTexts(a.model, b.model));
  const named = counted.slice(0, MOST_NAMED);
  const others = counted.length - named.length;
  return [
    ...named.map(({ model, length }) => `${show(model)} in ${formatCount(length)}`),
    ...(others > 0 ? [`${formatCount(others)} more`] : []),
  ].join(', ');
}
