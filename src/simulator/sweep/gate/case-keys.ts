/** The keys of a configuration by which one run has gates of its own. */
export function keysOf(scenario: string, run: string): readonly string[] {
  return [scenario, `${scenario}: ${run}`];
}
