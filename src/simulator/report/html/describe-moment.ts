import type { EvictionCause, RunEvent } from '../../events.ts';
import { countOf, formatCount } from '../numbers.ts';
import type { MomentKind } from '../plots.ts';

/** Something worth a mark on a time line. */
interface Described {
  readonly kind: MomentKind;
  readonly words: string;
  /** Of parts, messages, constraints or paths. */
  readonly ids?: readonly string[];
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

type Describers = {
  readonly [Type in RunEvent['type']]?: (event: EventOf<Type>) => Described | undefined;
};

const OVERFLOW_PATHS = {
  'after-step': 'after the step',
  'before-request': 'before the request',
  refused: 'when the provider refused',
} as const;

const KEPT_OUT_BY: Readonly<Record<EvictionCause, string>> = {
  prune: 'a prune',
  pivot: 'a compaction',
  'failed-summary': 'a summary that failed',
  window: 'the window',
  memory: 'a move to external memory',
};

const STANDING_TIMES: Readonly<Record<EventOf<'standing'>['at'], string>> = {
  pivot: 'after the compaction',
  'moved-out': 'after messages moved out',
  'run-end': 'at the end',
};

const NEEDED = {
  declared: 'declared by the session',
  'given-back': 'read again',
  anchor: 'lines that an edit stands on',
  path: 'a file that is opened',
  name: 'a name found only there',
  phrase: 'words found only there',
} as const;

const describers: Describers = {
  'step-refused': ({ contextTokens, windowTokens, isRecognised }) => ({
    kind: 'refusal',
    words: `Refused: ${tokens(contextTokens)} for a window of ${tokens(windowTokens)}; the policy ${isRecognised ? 'recognises' : 'does not recognise'} this error.`,
  }),
  'step-malformed': ({ reason }) => ({ kind: 'refusal', words: `Malformed request: ${reason}.` }),
  'step-truncated': ({ contextTokens, keptTokens }) => ({
    kind: 'refusal',
    words: `Silently cut: ${tokens(contextTokens)} became ${tokens(keptTokens)}.`,
  }),
  'request-failed': ({ of, failure, waitMs }) => ({
    kind: 'failure',
    words: `Request of a ${of} failed (${failure}); ${waitMs === undefined ? 'not retried' : `retried after ${formatCount(waitMs)} ms`}.`,
  }),
  'model-changed': ({ model, limits, usableTokens }) => ({
    kind: 'model',
    words: `From here on ${model}, context ${formatCount(limits.contextTokens)}, ${describeUsable(usableTokens)}.`,
  }),
  overflow: ({ path, countTokens, usableTokens }) => ({
    kind: 'overflow',
    words:
      countTokens === undefined || usableTokens === undefined
        ? `Overflow ${OVERFLOW_PATHS[path]}.`
        : `Overflow ${OVERFLOW_PATHS[path]}: counted ${tokens(countTokens)}, usable ${tokens(usableTokens)} (${difference(countTokens - usableTokens)}).`,
  }),
  'prune-end': describePrune,
  'summary-end': (event) => ({ kind: 'summary', words: describeSummary(event) }),
  pivot: describePivot,
  'summary-rejected': ({ reason }) => ({
    kind: 'failure',
    words: `Summary rejected: ${reason}.`,
  }),
  'summary-repeated': ({ because }) => ({
    kind: 'summary',
    words: `Summary requested again: ${because}.`,
  }),
  'usage-ignored': ({ reason, messageId }) => ({
    kind: 'failure',
    words: `Reported usage ignored: ${reason}.`,
    ids: [messageId],
  }),
  'moved-out': ({ messageIds }) => ({
    kind: 'lost',
    words: `${countOf(messageIds.length, 'message')} moved to external memory.`,
    ids: messageIds,
  }),
  'law-violated': ({ law, message, isKnown, messageIds }) => ({
    kind: 'law',
    words: `Law ${law} broken${isKnown ? ", as in the policy's source" : ''}: ${message}`,
    ids: messageIds,
  }),
  reference: describeReference,
  eviction: ({ by, parts }) => ({
    kind: 'lost',
    words: `${countOf(parts, 'part')} left the view by ${KEPT_OUT_BY[by]}.`,
  }),
  standing: describeStanding,
  'run-end': ({ state, reason, finalContextTokens }) => ({
    kind: 'end',
    words: `End: ${state}${reason === undefined ? '' : `, ${reason}`}${finalContextTokens === undefined ? '' : `; the next request would hold ${tokens(finalContextTokens)}`}.`,
  }),
};

/** Describes an event in words, with the numbers that its rule used; nothing where it needs no mark. */
export function describeMoment(event: RunEvent): Described | undefined {
  const describe = describers[event.type] as
    | ((event: RunEvent) => Described | undefined)
    | undefined;
  return describe?.(event);
}

function describeSummary(event: EventOf<'summary-end'>): string {
  const { state, reason, inputTokens, keptTokens, outputTokens, headMessages } = event;
  const what = event.verifies ? 'Check of a summary' : 'Summary';
  if (state === 'failed') return `${what} failed${reason === undefined ? '' : `: ${reason}`}.`;
  const cut = keptTokens === undefined ? '' : `, silently cut to ${tokens(keptTokens)}`;
  return `${what} of ${countOf(headMessages, 'message')}: read ${tokens(inputTokens)}${cut}, wrote ${tokens(outputTokens)}.`;
}

function describePrune(event: EventOf<'prune-end'>): Described | undefined {
  const { state, partIds, estimatedTokens, prunedTokens, survivingTokens } = event;
  if (state === 'nothing') return undefined;
  if (state === 'below-minimum') {
    const words = `Prune did not fire: it found ${tokens(estimatedTokens)}, less than its minimum.`;
    return { kind: 'prune', words };
  }
  const [done, size, estimate] =
    prunedTokens < 0
      ? ['added', -prunedTokens, -estimatedTokens]
      : ['cleared', prunedTokens, estimatedTokens];
  const sizes = `${tokens(size)} ${done}, ${tokens(estimate)} estimated`;
  const words = `Prune of ${countOf(partIds.length, 'part')}: ${sizes}; ${tokens(survivingTokens)} after them lose the cache.`;
  return { kind: 'prune', words, ids: partIds };
}

/** Only what was missed is worth a mark. */
function describeReference(event: EventOf<'reference'>): Described | undefined {
  const { missedBy, kind, sinceStep, tokens: size, partIds } = event;
  if (missedBy === undefined) return undefined;
  const words = `Loss: ${tokens(size)} of step ${sinceStep} needed (${NEEDED[kind]}), removed by ${KEPT_OUT_BY[missedBy]}.`;
  return { kind: 'miss', words, ids: partIds };
}

function describeStanding(event: EventOf<'standing'>): Described | undefined {
  const { at, goneConstraints, gonePaths, constraints, paths } = event;
  const ids = [...goneConstraints, ...gonePaths];
  if (ids.length === 0) return undefined;
  const words = `No longer named ${STANDING_TIMES[at]}: ${goneConstraints.length} of ${constraints} constraints, ${gonePaths.length} of ${paths} paths.`;
  return { kind: 'lost', words, ids };
}

function describeUsable(usableTokens: number | undefined): string {
  return usableTokens === undefined ? 'no usable limit' : `usable ${formatCount(usableTokens)}`;
}

function describePivot(event: EventOf<'pivot'>): Described {
  const { auto, contextBeforeTokens: before, contextAfterTokens: after, messageId } = event;
  const sizes =
    before === undefined || after === undefined
      ? 'sizes unknown'
      : `${tokens(before)} became ${tokens(after)} (${difference(after - before)})`;
  return {
    kind: 'pivot',
    words: `Compaction${auto ? '' : ' by hand'}: ${sizes}.`,
    ids: [messageId],
  };
}

function tokens(value: number): string {
  return countOf(value, 'token');
}

function difference(value: number): string {
  return value < 0 ? `-${formatCount(-value)}` : `+${formatCount(value)}`;
}
