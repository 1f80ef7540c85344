import type { Policy, PrunePolicy } from '../../../engine/index.ts';
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
  const lines: LogLine[] = [];
  let step: number | undefined;
  for (const event of events) {
    if ('step' in event) step = event.step;
    const text = describe(event);
    if (text !== undefined)
      lines.push({ ...(step !== undefined && { step }), type: event.type, text });
  }
  return lines;
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
    case 'prune-end':
      return prunesOf(policy.prune);
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

function prunesOf({ enabled, pass, cleanups = [] }: PrunePolicy): string {
  const passes = cleanups.map((cleanup) => cleanup.pass);
  return `prune pass ${[...passes, ...(enabled || passes.length === 0 ? [pass] : [])].join(', ')}`;
}

function describe(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
    case 'turn-start':
    case 'turn-end':
      return undefined;
    case 'step-end':
      return describeStep(event);
    case 'overflow':
      return describeOverflow(event);
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
    case 'standing':
      return describeStanding(event);
    case 'run-end':
      return `ended ${event.state}${reasonOf(event)}, ${formatCount(event.finalContextTokens ?? null)} left`;
    default:
      return describeOther(event);
  }
}

function describeStep({ contextTokens, outputTokens, cacheReadTokens }: Of<'step-end'>): string {
  const cached = cacheReadTokens === 0 ? '' : `, ${formatCount(cacheReadTokens)} from the cache`;
  return `context ${formatCount(contextTokens)}${cached}, wrote ${formatCount(outputTokens)}`;
}

function describeStanding({ at, ...standing }: Of<'standing'>): string {
  const { constraints, goneConstraints, paths, gonePaths } = standing;
  const rules = `${goneConstraints.length} of ${countOf(constraints, 'constraint')}`;
  return `gone at ${at}: ${rules}, ${gonePaths.length} of ${countOf(paths, 'path')}`;
}

function describeOverflow({ path, countTokens, usableTokens }: Of<'overflow'>): string {
  const words = `overflow ${path}`;
  return countTokens === undefined || usableTokens === undefined
    ? words
    : `${words}, believed ${formatCount(countTokens)} of ${formatCount(usableTokens)} usable`;
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
  if (state === 'failed') return `${summary} failed${reasonOf({ reason })}`;
  const cut = keptTokens === undefined ? '' : `, cut to ${formatCount(keptTokens)},`;
  return `${summary}, ${formatCount(inputTokens)}${cut} to ${formatCount(outputTokens)}`;
}

function reasonOf({ reason }: { readonly reason?: string | undefined }): string {
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
