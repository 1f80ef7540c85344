import type { EvictionCause, RunEvent } from '../../events.ts';
import { countOf, formatCount } from '../numbers.ts';
import type { MomentKind } from '../plots.ts';

type Described = readonly [kind: MomentKind, words: string];

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const OVERFLOW_PATHS = {
  'after-step': 'after the step',
  'before-request': 'before the request',
  refused: 'when the provider refused',
};

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
};

/** Describes an event in words; nothing where it needs no mark. */
export function describeMoment(event: RunEvent): Described | undefined {
  return describeRequest(event) ?? describeChange(event);
}

function describeRequest(event: RunEvent): Described | undefined {
  switch (event.type) {
    case 'step-refused': {
      const { contextTokens, windowTokens, isRecognised } = event;
      const how = isRecognised ? 'recognises' : 'does not recognise';
      return [
        'refusal',
        `Refused: ${tokens(contextTokens)} for a window of ${tokens(windowTokens)}; the policy ${how} this error.`,
      ];
    }
    case 'step-malformed':
      return ['refusal', `Malformed request: ${event.reason}.`];
    case 'step-truncated':
      return [
        'refusal',
        `Silently cut: ${tokens(event.contextTokens)} became ${tokens(event.keptTokens)}.`,
      ];
    case 'request-failed': {
      const { of, failure, waitMs } = event;
      const then = waitMs === undefined ? 'not retried' : `retried after ${formatCount(waitMs)} ms`;
      return ['failure', `Request of a ${of} failed (${failure}); ${then}.`];
    }
    case 'model-changed': {
      const { model, limits, usableTokens: usable } = event;
      const limit = usable === undefined ? 'no usable limit' : `usable ${formatCount(usable)}`;
      const context = formatCount(limits.contextTokens);
      return ['model', `From here on ${model}, context ${context}, ${limit}.`];
    }
    case 'summary-end':
      return ['summary', describeSummary(event)];
    case 'summary-rejected':
      return ['failure', `Summary rejected: ${event.reason}.`];
    case 'summary-repeated':
      return ['summary', `Summary requested again: ${event.because}.`];
    case 'usage-ignored':
      return ['failure', `Reported usage ignored: ${event.reason}.`];
    default:
      return undefined;
  }
}

function describeChange(event: RunEvent): Described | undefined {
  switch (event.type) {
    case 'overflow': {
      const { path, countTokens: count, usableTokens: usable } = event;
      const counted =
        count === undefined || usable === undefined
          ? ''
          : `: counted ${tokens(count)}, usable ${tokens(usable)} (${difference(count - usable)})`;
      return ['overflow', `Overflow ${OVERFLOW_PATHS[path]}${counted}.`];
    }
    case 'prune-end':
      return describePrune(event);
    case 'pivot': {
      const { auto, contextBeforeTokens: before, contextAfterTokens: after } = event;
      const sizes =
        before === undefined || after === undefined
          ? 'sizes unknown'
          : `${tokens(before)} became ${tokens(after)} (${difference(after - before)})`;
      return ['pivot', `Compaction${auto ? '' : ' by hand'}: ${sizes}.`];
    }
    case 'moved-out':
      return ['lost', `${countOf(event.messageIds.length, 'message')} moved to external memory.`];
    case 'law-violated': {
      const known = event.isKnown ? ", as in the policy's source" : '';
      return ['law', `Law ${event.law} broken${known}: ${event.message}`];
    }
    case 'reference': {
      const { missedBy, kind, sinceStep, tokens: size } = event;
      // Only what was missed is worth a mark.
      if (missedBy === undefined) return undefined;
      return [
        'miss',
        `Loss: ${tokens(size)} of step ${sinceStep} needed (${NEEDED[kind]}), removed by ${KEPT_OUT_BY[missedBy]}.`,
      ];
    }
    case 'eviction':
      return ['lost', `${countOf(event.parts, 'part')} left the view by ${KEPT_OUT_BY[event.by]}.`];
    case 'standing': {
      const { at, goneConstraints, gonePaths, constraints, paths } = event;
      if (goneConstraints.length + gonePaths.length === 0) return undefined;
      return [
        'lost',
        `No longer named ${STANDING_TIMES[at]}: ${goneConstraints.length} of ${constraints} constraints, ${gonePaths.length} of ${paths} paths.`,
      ];
    }
    case 'run-end': {
      const { state, reason, finalContextTokens: final } = event;
      const why = reason === undefined ? '' : `, ${reason}`;
      const next = final === undefined ? '' : `; the next request would hold ${tokens(final)}`;
      return ['end', `End: ${state}${why}${next}.`];
    }
    default:
      return undefined;
  }
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
    const found = tokens(estimatedTokens);
    return ['prune', `Prune did not fire: it found ${found}, less than its minimum.`];
  }
  const [done, sign] = prunedTokens < 0 ? ['added', -1] : ['cleared', 1];
  const sizes = `${tokens(sign * prunedTokens)} ${done}, ${tokens(sign * estimatedTokens)} estimated`;
  return [
    'prune',
    `Prune of ${countOf(partIds.length, 'part')}: ${sizes}; ${tokens(survivingTokens)} after them lose the cache.`,
  ];
}

function tokens(value: number): string {
  return countOf(value, 'token');
}

function difference(value: number): string {
  return value < 0 ? `-${formatCount(-value)}` : `+${formatCount(value)}`;
}
