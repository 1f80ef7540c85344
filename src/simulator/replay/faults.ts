import {
  being,
  fields,
  finite,
  finiteOf,
  kindOf,
  listOf,
  optional,
  text,
} from '../../engine/internal.ts';
import type { Usage } from '../../engine/index.ts';
import type { Failure, Fault } from '../scenario/scenario.ts';

/** The faults of a run, by the request that they affect. */
export interface FaultSchedule {
  /** The failure of the next try of a step, if any. */
  nextTry(step: number): Failure | undefined;
  /** The failure of the next summary request, and the prompts that arrive while it runs. */
  nextSummary(): { readonly failure?: Failure | undefined; readonly prompts: readonly string[] };
  /** The usage that is reported for a step, falsified where a fault says so. */
  reportedUsage(step: number, usage: Usage | undefined): Usage | undefined;
  /** Tests if a compaction is requested by hand before a step. */
  compactsBefore(step: number): boolean;
  /** The model that answers from a step on, where it changes there. */
  modelFrom(step: number): string | undefined;
}

type Of<On extends Fault['on']> = Fault & { readonly on: On };

type Kind<Type extends Failure['type']> = Extract<Failure, { readonly type: Type }>;
type OfFaultForm<On extends Fault['on']> = Extract<Fault, { readonly on: On }>;

/** Nothing befalls anything. */
const NO_FAULTS: FaultSchedule = {
  nextTry: () => undefined,
  nextSummary: () => ({ failure: undefined, prompts: [] }),
  reportedUsage: (_, usage) => usage,
  compactsBefore: () => false,
  modelFrom: () => undefined,
};

const place = being(
  'a whole number from 1 on',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);
const amount = finiteOf();

const failure = kindOf<Failure['type']>('type', {
  fail: fields<Kind<'fail'>>({ type: text, message: optional(text) }),
  'time-out': fields<Kind<'time-out'>>({ type: text, afterMs: amount }),
  'rate-limit': fields<Kind<'rate-limit'>>({ type: text, retryAfterMs: optional(amount) }),
  overflow: fields<Kind<'overflow'>>({
    type: text,
    statusCode: optional(finite),
    message: optional(text),
  }),
  abort: fields<Kind<'abort'>>({ type: text, afterTokens: amount }),
});

/** Check of a fault. */
const faultForm = kindOf<Fault['on']>('on', {
  step: fields<OfFaultForm<'step'>>({ on: text, step: place, times: place, failure }),
  summary: fields<OfFaultForm<'summary'>>({ on: text, call: place, times: place, failure }),
  usage: fields<OfFaultForm<'usage'>>({ on: text, step: place, factor: amount }),
  message: fields<OfFaultForm<'message'>>({ on: text, call: place, text }),
  compact: fields<OfFaultForm<'compact'>>({ on: text, step: place }),
  model: fields<OfFaultForm<'model'>>({ on: text, step: place, model: text }),
});

/** Check of the faults of a run. */
export const faultsForm = optional(listOf(faultForm));

/** The schedule of some faults. */
export function scheduleFaults(faults: readonly Fault[]): FaultSchedule {
  if (faults.length === 0) return NO_FAULTS;
  const tries = new Map<number, number>();
  let calls = 0;
  const of = <On extends Fault['on']>(on: On) =>
    faults.filter((fault): fault is Of<On> => fault.on === on);
  const [steps, summaries, usages] = [of('step'), of('summary'), of('usage')];
  const [messages, compacts, models] = [of('message'), of('compact'), of('model')];

  return {
    nextTry: (step) => {
      if (steps.length === 0) return undefined;
      const nth = (tries.get(step) ?? 0) + 1;
      tries.set(step, nth);
      return steps.find((fault) => fault.step === step && nth <= fault.times)?.failure;
    },
    nextSummary: () => {
      calls += 1;
      const failing = summaries.find(({ call, times }) => call <= calls && calls < call + times);
      const prompts = messages.filter(({ call }) => call === calls);
      return { failure: failing?.failure, prompts: prompts.map(({ text }) => text) };
    },
    reportedUsage: (step, usage) => {
      const fault = usages.find((one) => one.step === step);
      return fault === undefined || usage === undefined ? usage : multiply(usage, fault.factor);
    },
    compactsBefore: (step) => compacts.some((fault) => fault.step === step),
    modelFrom: (step) => models.find((fault) => fault.step === step)?.model,
  };
}

function multiply(usage: Usage, factor: number): Usage {
  const kinds = Object.entries(usage).map(([kind, tokens]) => [kind, Math.round(tokens * factor)]);
  return Object.fromEntries(kinds) as Usage;
}
