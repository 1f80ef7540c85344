import { countRecordedModels } from '../../report/recorded-models.ts';
import type { Origin } from '../../report/origin.ts';
import { tokenizersOf } from '../../tokens/tokenizer-of.ts';
import type { HeaderSession, Shard } from './header.ts';
import { isInShard } from './shard.ts';

/** What a header says of the sessions and models of a sweep. */
interface Swept {
  readonly shard: Shard;
  readonly cells: readonly { readonly model: { readonly id: string } }[];
  readonly sessions: readonly Pick<HeaderSession, 'hash' | 'skipped' | 'recordedModel'>[];
}

/** What the tokens of a sweep, or of its shard, were counted by, and what its sessions were recorded with. */
export function basisOf({ shard, cells, sessions }: Swept) {
  const own = sessions.filter(({ hash }) => isInShard(hash, shard));
  return {
    tokenizers: tokenizersOf(cells.map(({ model }) => model.id)),
    recorded: countRecordedModels(own),
  } satisfies Partial<Origin>;
}
