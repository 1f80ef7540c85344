import * as z from 'zod';
import { parseOutputCap, parseSwitch } from '../../../engine/index.ts';

/** Variables of the environment; a vector may give numbers and switches as what they mean. */
export const Environment = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
type Environment = z.infer<typeof Environment>;

/** The cap on one answer that the environment sets. */
export function readOutputCap(environment: Environment | undefined): number | undefined {
  return parseOutputCap(textOf(environment, 'OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX'));
}

/** Whether the environment switches something off. */
export function isDisabled(
  environment: Environment | undefined,
  name: 'OPENCODE_DISABLE_AUTOCOMPACT' | 'OPENCODE_DISABLE_PRUNE',
): boolean {
  return parseSwitch(textOf(environment, name));
}

function textOf(environment: Environment | undefined, name: string): string | undefined {
  const value = environment?.[name];
  return value === undefined ? undefined : String(value);
}
