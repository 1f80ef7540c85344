import type { ModelContent, ModelMessage } from '../../../engine/index.ts';
import { countEach } from '../../lib/collections.ts';
import { type CheckName, findFault } from '../../provider/checks.ts';

/** A conversation on both sides of a compactor that changed it. */
export interface ListChange {
  readonly before: readonly ModelMessage[];
  readonly after: readonly ModelMessage[];
  /** True tokens of the next request. */
  readonly contextBeforeTokens: number;
  readonly contextAfterTokens: number;
  /** The newest user message; absent where the session began without one. */
  readonly newestRequest?: ModelMessage | undefined;
  /** The newest step and its results, where the model has not answered to them yet. */
  readonly unanswered: readonly ModelMessage[];
  /** True if the provider had refused the request. */
  readonly isRefused: boolean;
}

interface ListLaw {
  readonly says: string;
  readonly check: (change: ListChange) => string | undefined;
}

const PAIRING: readonly CheckName[] = ['calls-paired', 'ids-unique'];

/** Laws for every compaction of a list of messages, named like the engine's laws of the same idea. */
export const listLaws = {
  'calls-paired': {
    says: 'Each call in a request is followed by its one result, each result has its call, and no id is used twice.',
    check: findUnpaired,
  },
  'pivot-lowers-context': {
    says: 'A compaction that changes something makes the next request smaller.',
    check: ({ contextBeforeTokens: before, contextAfterTokens: after }) =>
      after < before ? undefined : `the request grew from ${before} to ${after} tokens`,
  },
  'newest-request-visible': {
    says: 'What the person asked last is still there, word for word.',
    check: findLostRequest,
  },
  'no-message-twice': {
    says: 'No message stands in a request more often than before.',
    check: findRepeated,
  },
  'ordered-by-time': {
    says: 'What is kept stands in the order in which it was.',
    check: findDisorder,
  },
  'newest-step-kept': {
    says: 'A step whose results the model has not seen yet stays as it is, unless the request was refused.',
    check: findChangedStep,
  },
} satisfies Record<string, ListLaw>;

/** The name of a law of lists. */
export type ListLawName = keyof typeof listLaws;

/** The laws that a change violates, with a description of each violation. */
export function checkChange(
  change: ListChange,
): readonly { readonly law: ListLawName; readonly message: string }[] {
  const all = Object.entries<ListLaw>(listLaws) as readonly [ListLawName, ListLaw][];
  return all.flatMap(([law, { check }]) => {
    const message = check(change);
    return message === undefined ? [] : [{ law, message }];
  });
}

function findUnpaired({ before, after }: ListChange): string | undefined {
  const names = PAIRING.filter((name) => findFault(before, [name]) === undefined);
  return findFault(after, names);
}

function findLostRequest({ before, after, newestRequest }: ListChange): string | undefined {
  if (newestRequest === undefined || !before.includes(newestRequest)) return undefined;
  if (after.includes(newestRequest)) return undefined;
  const said = after.filter(({ role }) => role === 'user').flatMap(textsOf);
  const isThere = textsOf(newestRequest).every((text) => said.some((one) => one.includes(text)));
  const isOnlyText = newestRequest.content.every(({ type }) => type === 'text');
  return isThere && isOnlyText ? undefined : 'the newest request of the person is gone';
}

function findRepeated({ before, after }: ListChange): string | undefined {
  const allowed = countEach(before);
  const more = [...countEach(after)].filter(
    ([message, count]) => count > Math.max(1, allowed.get(message) ?? 0),
  );
  return more.length === 0 ? undefined : `${more.length} messages stand there more often`;
}

function findDisorder({ before, after }: ListChange): string | undefined {
  const [earlier, later] = [countEach(before), countEach(after)];
  const isSingle = (one: ModelMessage) => earlier.get(one) === 1 && later.get(one) === 1;
  const places = new Map(before.map((message, index) => [message, index]));
  const kept = after.filter(isSingle).map((message) => places.get(message) ?? 0);
  const late = kept.filter((place, index) => place < (kept[index - 1] ?? 0)).length;
  return late === 0 ? undefined : `${late} messages stand after newer ones`;
}

function findChangedStep({ after, unanswered, isRefused }: ListChange): string | undefined {
  if (isRefused || unanswered.length === 0) return undefined;
  const gone = unanswered.filter((message) => !after.includes(message)).length;
  return gone === 0 ? undefined : `${gone} of ${unanswered.length} messages of the newest step`;
}

function textsOf({ content }: ModelMessage): readonly string[] {
  return content.flatMap((one: ModelContent) => (one.type === 'text' ? [one.text] : []));
}
