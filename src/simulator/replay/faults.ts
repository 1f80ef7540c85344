import type { Usage } from '../../engine/index.ts';
import type { Failure, Fault } from '../scenario/scenario.ts';

/** The faults of a run, by the request that they affect. */
export type FaultSchedule = ReturnType<typeof scheduleFaults>;

type Of<On extends Fault['on']> = Fault & { readonly on: On };

/** The schedule of some faults. */
export function scheduleFaults(faults: readonly Fault[]) {
  const tries = new Map<number, number>();
  let calls = 0;
  const of = <On extends Fault['on']>(on: On) =>
    faults.filter((fault): fault is Of<On> => fault.on === on);
  const [steps, summaries, usages] = [of('step'), of('summary'), of('usage')];
  const [messages, compacts, models] = [of('message'), of('compact'), of('model')];

  return {
    nextTry: (step: number): Failure | undefined => {
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
    reportedUsage: (step: number, usage: Usage | undefined) => {
      const fault = usages.find((one) => one.step === step);
      return fault === undefined || usage === undefined ? usage : multiply(usage, fault.factor);
    },
    compactsBefore: (step: number) => compacts.some((fault) => fault.step === step),
    modelFrom: (step: number) => models.find((fault) => fault.step === step)?.model,
  };
}

function multiply(usage: Usage, factor: number): Usage {
  const kinds = Object.entries(usage).map(([kind, tokens]) => [kind, Math.round(tokens * factor)]);
  return Object.fromEntries(kinds) as Usage;
}
