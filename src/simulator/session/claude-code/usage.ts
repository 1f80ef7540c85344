import { MINUTE_MS } from '../../lib/units.ts';
import type { RecordedUsage } from '../reading/cache-mark.ts';
import { countKinds } from '../reading/count-kinds.ts';
import { atLeastZero } from '../reading/lenient.ts';
import type { ClaudeRecord, ClaudeUsage } from './record.ts';

/** Up to this release the count of output tokens was written when the answer began, not when it ended. */
const LAST_UNFINISHED_RELEASE = [2, 1, 42] as const;
const RELEASE = /^(\d+)\.(\d+)\.(\d+)/;

/** The count of a step; unknown as `countKinds` has it. */
export function toUsage(recorded: ClaudeUsage | undefined): RecordedUsage | undefined {
  return countKinds({
    input: recorded?.input_tokens,
    output: recorded?.output_tokens,
    cacheRead: recorded?.cache_read_input_tokens,
    cacheWrite: recorded?.cache_creation_input_tokens,
  });
}

/** Whether every step was written by a release that counts output tokens at the end; false where none is named. */
export function isOutputFinal(records: readonly ClaudeRecord[]): boolean {
  const steps = records.filter((record) => record.type === 'assistant');
  return steps.length > 0 && steps.every(({ version = '' }) => isNewRelease(version));
}

/** How long most written tokens were to be kept in the prompt cache; absent where no record tells. */
export function cacheTtlOf(records: readonly ClaudeRecord[]): number | undefined {
  const writes = records.flatMap(({ message }) => message?.usage?.cache_creation ?? []);
  const short = sumOf(writes.map((write) => write.ephemeral_5m_input_tokens));
  const long = sumOf(writes.map((write) => write.ephemeral_1h_input_tokens));
  if (short + long === 0) return undefined;
  return (long > short ? 60 : 5) * MINUTE_MS;
}

function sumOf(tokens: readonly (number | undefined)[]): number {
  return tokens.reduce<number>((total, each) => total + atLeastZero(each), 0);
}

function isNewRelease(version: string): boolean {
  const numbers = RELEASE.exec(version)?.slice(1).map(Number);
  if (numbers === undefined) return false;
  const changed = LAST_UNFINISHED_RELEASE.findIndex((last, index) => numbers[index] !== last);
  return changed !== -1 && (numbers[changed] ?? 0) > (LAST_UNFINISHED_RELEASE[changed] ?? 0);
}
