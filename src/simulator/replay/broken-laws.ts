import type { RunState } from '../events.ts';

/** A run that may break laws. */
export interface Lawful {
  /** Laws that it should have kept, by how often it broke them; absent before the first. */
  broken: Map<string, number> | undefined;
}

/** Notes that a run broke a law. */
export function noteBroken(run: Lawful, law: string): void {
  run.broken ??= new Map();
  run.broken.set(law, (run.broken.get(law) ?? 0) + 1);
}

/** How a run ends that nothing stopped: one that broke a law has failed, however far it came. */
export function verdictOf({ broken }: Lawful): {
  readonly state: RunState;
  readonly reason?: string;
} {
  if (broken === undefined) return { state: 'completed' };
  const counts = [...broken].map(([law, count]) => `${law} (${count})`);
  return { state: 'failed', reason: `laws broken: ${counts.join(', ')}` };
}
