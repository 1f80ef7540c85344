import { createHash } from 'node:crypto';
import { canonicalJson, type Policy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { known } from '../../lib/collections.ts';
import { ADAPTER_NAME } from '../../replay/foreign/compactor.ts';
import type {
  EventsFinding,
  ScenarioResult,
  ScenarioRunResult,
} from '../../report/check-report.ts';
import { countOf, formatCount } from '../../report/numbers.ts';
import { hashPrompts } from '../../report/provenance.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import type { CaseRecord, ScenarioRecord } from './baseline.ts';

type Of<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };

const DIGEST_LENGTH = 16;
const SAME = 'the same events with the same seed every time';
const CONTEXT_LINES = 3;
const ENDED = 'nothing more';
const STEP = /^step (\d+): /;

export function toScenarioRecord(
  { name: scenario, runs }: Pick<ScenarioResult, 'name' | 'runs'>,
  source: string,
): ScenarioRecord {
  const records = runs.map(({ name, state, reason, metrics, events, made }): CaseRecord => {
    const { resolvedPolicy, policy, model, summarizer, seed } = made;
    const estimator = canonicalJson(resolvedPolicy.estimator);
    const prompts = hashPrompts([resolvedPolicy]);
    const tokenizer = tokenizerOf(model).name;
    return {
      run: name,
      made: { policy, model, summarizer, seed, tokenizer, estimator, prompts },
      state,
      ...known({ reason }),
      digest: digestOf(events),
      metrics,
      log: toLog(events).map(({ text }) => text),
    };
  });
  return { scenario, source, runs: records };
}

/** A scenario that was run again with the same seeds: what gave other events has failed. */
export function mergeRepeat(first: ScenarioResult, again: ScenarioResult) {
  const runs = first.runs.map((run, index) => {
    const other = again.runs[index];
    const isSame = other !== undefined && digestOf(run.events) === digestOf(other.events);
    if (isSame || run.failures.some(({ expected }) => expected === SAME)) return run;
    const failure = { line: 1, column: 1, ...run.at, expected: SAME, got: 'others' };
    return { ...run, failures: [...run.failures, failure] };
  });
  return { ...first, runs, passed: runs.every(({ failures }) => failures.length === 0) };
}

export function firstDifference(
  scenario: string,
  [baseline, now]: readonly [CaseRecord, CaseRecord],
  { events, made: { resolvedPolicy: policy } }: ScenarioRunResult,
): EventsFinding | undefined {
  const about = { kind: 'events', scenario, run: now.run } as const;
  const longer = now.log.length < baseline.log.length ? baseline.log : now.log;
  const at = longer.findIndex((_, index) => now.log[index] !== baseline.log[index]);
  if (at !== -1) {
    const [line, wanted] = [now.log[at], baseline.log[at]];
    return {
      ...about,
      ...stepOf(line ?? wanted),
      rule: ruleOf(toLog(events)[at]?.type, policy),
      baseline: (wanted ?? ENDED).replace(STEP, ''),
      now: (line ?? ENDED).replace(STEP, ''),
      before: now.log.slice(Math.max(0, at - CONTEXT_LINES), at),
    };
  }
  if (now.state !== baseline.state) {
    return {
      ...about,
      ...stepOf(now.log.at(-1)),
      rule: ruleOf(undefined, policy),
      baseline: `state ${baseline.state}`,
      now: `state ${now.state}`,
      before: now.log.slice(-CONTEXT_LINES),
    };
  }
  if (now.digest === baseline.digest) return undefined;
  return {
    ...about,
    isUnlogged: true,
    rule: 'what no line of the log shows',
    baseline: `digest ${baseline.digest}`,
    now: `digest ${now.digest}`,
    before: [],
  };
}

/** The events of a run, a line each; what a run begins with is told elsewhere. */
export function toLog(events: readonly RunEvent[]) {
  let start = '';
  return events.flatMap((event) => {
    if ('step' in event) start = `step ${event.step}: `;
    const text = describe(event);
    return text === undefined ? [] : [{ type: event.type, text: `${start}${text}` }];
  });
}

function digestOf(events: readonly RunEvent[]) {
  const hash = createHash('sha256');
  for (const event of events) {
    const { session: _, ...placeless } = { session: '', ...event };
    hash.update(`${canonicalJson(event.type === 'run-start' ? placeless : event)}\n`);
  }
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
}

function stepOf(line: string | undefined) {
  const digits = line?.match(STEP)?.[1];
  return digits === undefined ? {} : { step: Number(digits) };
}

function ruleOf(type: RunEvent['type'] | undefined, policy: Policy): string {
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
      const { contextTokens, outputTokens, cacheReadTokens: read } = event;
      const cached = read === 0 ? '' : `, ${formatCount(read)} from the cache`;
      return `context ${formatCount(contextTokens)}${cached}, wrote ${formatCount(outputTokens)}`;
    }
    case 'overflow': {
      const { path, countTokens, usableTokens } = event;
      if (countTokens === undefined || usableTokens === undefined) return `overflow ${path}`;
      return `overflow ${path}, believed ${formatCount(countTokens)} of ${formatCount(usableTokens)} usable`;
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

function describePrune({ state, partIds, prunedTokens, estimatedTokens }: Of<'prune-end'>) {
  if (state === 'nothing') return 'pruned nothing';
  const parts = countOf(partIds.length, 'part');
  const believed = `believed ${formatCount(estimatedTokens)}`;
  if (state !== 'fired') return `left ${parts} below the minimum, ${believed}`;
  const change = prunedTokens < 0 ? 'added' : 'gone';
  return `pruned ${parts}, ${formatCount(Math.abs(prunedTokens))} ${change}, ${believed}`;
}

function describeSummary({ state, reason, verifies, ...sizes }: Of<'summary-end'>) {
  const { headMessages, inputTokens, keptTokens, outputTokens } = sizes;
  const summary = `${verifies ? 'check of a ' : ''}summary of ${countOf(headMessages, 'message')}`;
  if (state === 'failed') return `${summary} failed${inBrackets(reason)}`;
  const cut = keptTokens === undefined ? '' : `, cut to ${formatCount(keptTokens)},`;
  return `${summary}, ${formatCount(inputTokens)}${cut} to ${formatCount(outputTokens)}`;
}

function inBrackets(reason: string | undefined) {
  return reason === undefined ? '' : ` (${reason})`;
}

/** All fields, so that an event of a new type is told too; lists by their length. */
function describeOther({ type, ...fields }: RunEvent) {
  const facts = Object.entries(fields)
    .filter(([name]) => name !== 'step')
    .map(([name, value]) => {
      if (Array.isArray(value)) return `${name} ${formatCount(value.length)}`;
      return `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    });
  return [type, ...facts].join(', ');
}
