/** How a run ended, with the reason where there is one. */
export function describeEnding({
  state,
  reason,
}: {
  readonly state: string;
  readonly reason?: string | undefined;
}): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}
