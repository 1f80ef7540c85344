/** What environment variables change about limits, as released versions read them. */

/**
 * The cap on one answer that a person set as text, or `undefined` where it is none: only whole numbers
 * above 0 count. Source: OpenCode release history (section 10, `OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX`).
 */
export function parseOutputCap(text: string | undefined): number | undefined {
  const tokens = Number(text);
  return Number.isInteger(tokens) && tokens > 0 ? tokens : undefined;
}

/** Whether a switch that was set as text is on: `1` or `true` in any case. */
export function parseSwitch(text: string | undefined): boolean {
  return ['1', 'true'].includes(text?.toLowerCase() ?? '');
}
