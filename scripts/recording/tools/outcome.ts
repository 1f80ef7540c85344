/** What a tool gave back. */
export type ToolOutcome =
  | {
      readonly state: 'completed';
      readonly title: string;
      readonly output: string;
      readonly metadata: Readonly<Record<string, unknown>>;
    }
  | { readonly state: 'error'; readonly error: string };

/** The outcome of a tool that refused. */
export function failure(error: string): ToolOutcome {
  return { state: 'error', error };
}
