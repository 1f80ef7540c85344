import type { ArmResult, NamedValues } from './arm.ts';

/** Whether completed results are of one session, as far as is known: by its hash, else by what no policy changes of it. */
export function isSameSession(a: ArmResult, b: ArmResult): boolean {
  if (a.sessionHash !== undefined && b.sessionHash !== undefined) {
    return a.sessionHash === b.sessionHash;
  }
  return [turnsOf, recordedStepsOf].every((of) => isSame(of(a.metrics), of(b.metrics)));
}

/** Nobody knows that something unknown differs. */
function isSame(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function turnsOf({ turns }: NamedValues): number | undefined {
  return turns ?? undefined;
}

function recordedStepsOf({ steps, rereadSteps }: NamedValues): number | undefined {
  return typeof steps === 'number' ? steps - (rereadSteps ?? 0) : undefined;
}
