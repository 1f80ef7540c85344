import type { Policy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { ADAPTER_NAME } from '../../replay/foreign/compactor.ts';
import { countOf, formatCount } from '../../report/numbers.ts';

/** One event of a run in a line that a person can read in a diff. */
interface LogLine {
  /** Absent before the first step. */
  readonly step?: number;
  readonly type: RunEvent['type'];
  readonly text: string;
}

type Of<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };

/** The events of a run, a line each; what a run begins with is told elsewhere. */
export function toLog(events: readonly RunEvent[]): readonly LogLine[] {
  let step: number | undefined;
  return events.flatMap((event): readonly LogLine[] => {
    if ('step' in event) step = event.step;
    const text = describe(event);
    if (text === undefined) return [];
    return [{ ...(step !== undefined && { step }), type: event.type, text }];
  });
}

/** A line as it stands in a baseline. */
export function writeLine({ step, text }: LogLine): string {
  return step === undefined ? text : `step ${step}: ${text}`;
}

/** The rule of a policy that an event comes from. */
export function ruleOf(type: RunEvent['type'] | undefined, policy: Policy): string {
  if (policy.name === ADAPTER_NAME) return 'the adapter';
  switch (type) {
    case 'overflow':
      return `overflow rule ${policy.trigger.overflow}`;
    case 'prune-end': {
      const { enabled, pass, cleanups = [] } = policy.prune;
      const passes = cleanups.map((cleanup) => cleanup.pass);
      const own = enabled || passes.length === 0 ? [pass] : [];
      return `prune pass ${[...passes, ...own].join(', ')}`;
    }
    case 'pivot':
      return `cut, which keeps ${policy.cut.keep}`;
    case 'summary-end':
    case 'summary-rejected':
    case 'summary-repeated':
      return `summary with instruction ${policy.summary.instruction}`;
    case 'law-violated':
      return 'laws';
    case undefined:
      return 'end of the run';
    default:
      return `view rule ${policy.view}`;
  }
}

function describe(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
    case 'turn-start':
    case 'turn-end':
      return undefined;
    case 'step-end': {
      const { contextTokens, outputTokens, cacheReadTokens } = event;
      const cached =
        cacheReadTokens === 0 ? '' : `, ${formatCount(cacheReadTokens)} from the cache`;
      return `context ${formatCount(contextTokens)}${cached}, wrote ${formatCount(outputTokens)}`;
    }
    case 'overflow': {
      const { path, countTokens, usableTokens } = event;
      return countTokens === undefined || usableTokens === undefined
        ? `overflow ${path}`
        : `overflow ${path}, believed ${formatCount(countTokens)} of ${formatCount(usableTokens)} usable`;
    }
    case 'prune-end':
      return describePrune(event);
    case 'eviction':
      return `${countOf(event.parts, 'part')} gone by ${event.by}`;
    case 'summary-end':
      return describeSummary(event);
    case 'pivot':
      return `pivot, ${formatCount(event.contextBeforeTokens ?? null)} to ${formatCount(event.contextAfterTokens ?? null)}`;
    case 'law-violated':
      return `law ${event.law} broken${event.isKnown ? ' as known' : ''}: ${event.message}`;
    case 'reference':
      return `${event.kind} document ${event.document} of step ${event.sinceStep}, ${formatCount(event.tokens)}`;
    case 'standing': {
      const { at, constraints, goneConstraints, paths, gonePaths } = event;
      const rules = `${goneConstraints.length} of ${countOf(constraints, 'constraint')}`;
      return `gone at ${at}: ${rules}, ${gonePaths.length} of ${countOf(paths, 'path')}`;
    }
    case 'run-end':
      return `ended ${event.state}${inBrackets(event.reason)}, ${formatCount(event.finalContextTokens ?? null)} left`;
    default:
      return describeOther(event);
  }
}

function describePrune({ state, partIds, prunedTokens, estimatedTokens }: Of<'prune-end'>): string {
  if (state === 'nothing') return 'pruned nothing';
  const parts = countOf(partIds.length, 'part');
  const believed = `believed ${formatCount(estimatedTokens)}`;
  if (state !== 'fired') return `left ${parts} below the minimum, ${believed}`;
  const sizes =
    prunedTokens < 0 ? `${formatCount(-prunedTokens)} added` : `${formatCount(prunedTokens)} gone`;
  return `pruned ${parts}, ${sizes}, ${believed}`;
}

function describeSummary({ state, reason, verifies, ...sizes }: Of<'summary-end'>): string {
  const { headMessages, inputTokens, keptTokens, outputTokens } = sizes;
  const summary = `${verifies ? 'check of a ' : ''}summary of ${countOf(headMessages, 'message')}`;
  if (state === 'failed') return `${summary} failed${inBrackets(reason)}`;
  const cut = keptTokens === undefined ? '' : `, cut to ${formatCount(keptTokens)},`;
  return `${summary}, ${formatCount(inputTokens)}${cut} to ${formatCount(outputTokens)}`;
}

function inBrackets(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}

/** All fields, so that an event of a new type is told too; lists by their length. */
function describeOther({ type, ...fields }: RunEvent): string {
  const facts = Object.entries(fields)
    .filter(([name]) => name !== 'step')
    .map(([name, value]) => `${name} ${shown(value)}`);
  return [type, ...facts].join(', ');
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return formatCount(value.length);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
