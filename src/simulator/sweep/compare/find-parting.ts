import type { Policy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { type AsyncRunOptions, collectRun } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Parting } from '../../report/comparison.ts';

/** Something that a policy did or met, at a step, in words. */
interface Act {
  readonly step: number;
  readonly words: string;
}

const NOTHING = 'nothing';

/** The first step at which two runs of a session do different things; `undefined` where they never do. */
export function findParting(a: readonly RunEvent[], b: readonly RunEvent[]): Parting | undefined {
  const [first, second] = [toActs(a), toActs(b)];
  const place = first.findIndex(
    ({ step, words }, index) => step !== second[index]?.step || words !== second[index]?.words,
  );
  const index = place === -1 ? first.length : place;
  const [one, other] = [first[index], second[index]];
  if (one === undefined && other === undefined) return undefined;
  const step = Math.min(one?.step ?? Infinity, other?.step ?? Infinity);
  return { step, a: wordsAt(one, step), b: wordsAt(other, step) };
}

/** Where the runs of a session under two policies part; `undefined` where they do the same. */
export async function partRuns(
  trace: Trace,
  {
    policies: [a, b],
    ...options
  }: Omit<AsyncRunOptions, 'policy'> & { readonly policies: readonly [Policy, Policy] },
): Promise<Parting | undefined> {
  const first = await collectRun(trace, { ...options, policy: a });
  const second = await collectRun(trace, { ...options, policy: b });
  return findParting(first, second);
}

function toActs(events: readonly RunEvent[]): readonly Act[] {
  const acts: Act[] = [];
  let step = 1;
  for (const event of events) {
    if ('step' in event) step = event.step;
    const words = describeAct(event);
    if (words !== undefined) acts.push({ step, words });
  }
  return acts;
}

/** The event as a change of a view; nothing for plain steps and the frame of a run. */
function describeAct(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'overflow':
      return `overflow ${event.path}`;
    case 'prune-end':
      return event.state === 'fired' ? `prune of ${event.prunedTokens} tokens` : undefined;
    case 'pivot':
      return `pivot ${event.contextBeforeTokens} to ${event.contextAfterTokens} tokens`;
    case 'step-refused':
      return `refusal of ${event.contextTokens} tokens`;
    case 'step-truncated':
      return `silent cut to ${event.keptTokens} tokens`;
    case 'summary-end':
      return event.keptTokens === undefined
        ? undefined
        : `silent cut of a summary request to ${event.keptTokens} tokens`;
    case 'moved-out':
      return `${event.messageIds.length} messages moved out`;
    case 'summary-rejected':
      return 'summary rejected';
    case 'run-end':
      return event.state === 'completed' ? undefined : event.state;
    default:
      return undefined;
  }
}

function wordsAt(act: Act | undefined, step: number): string {
  return act?.step === step ? act.words : NOTHING;
}
