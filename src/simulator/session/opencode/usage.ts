import type { Usage } from '../../../engine/index.ts';
import type { RecordedUsage } from '../reading/cache-mark.ts';
import { countKinds } from '../reading/count-kinds.ts';
import type { Tally } from '../reading/tally.ts';
import type { OpencodeMessage, OpencodeTokens } from './record.ts';

/** How far a total may lie from twice the cached tokens and still be taken for a sum that counts them twice. */
const DOUBLED_TOLERANCE_RATIO = 0.01;

/** The count of a step; unknown as `countKinds` has it, as in requests that were cut off. */
export function toUsage({ info, parts }: OpencodeMessage, tally: Tally): RecordedUsage | undefined {
  const finishes = parts.filter((part) => part.type === 'step-finish');
  return [info.tokens, finishes.at(-1)?.tokens]
    .map((tokens) => readTokens(tokens, tally))
    .find((usage) => usage !== undefined);
}

function readTokens(tokens: OpencodeTokens, tally: Tally): RecordedUsage | undefined {
  const usage = countKinds({
    input: clamp(tokens?.input, tally),
    output: clamp(tokens?.output, tally),
    reasoning: clamp(tokens?.reasoning, tally),
    cacheRead: clamp(tokens?.cache?.read, tally),
    cacheWrite: clamp(tokens?.cache?.write, tally),
  });
  const total = clamp(tokens?.total, tally);
  if (usage === undefined || total === undefined) return usage;
  if (!isDoubled(usage, total)) return { ...usage, total };
  tally.repair('total that counts cached tokens twice');
  return { ...usage, total: sumOf(usage) };
}

/** Two releases added what was cached to an input that held it already. */
function isDoubled(usage: Usage, total: number): boolean {
  const cached = usage.cacheRead + usage.cacheWrite;
  const doubled = usage.input + usage.output + 2 * cached;
  const isNear = (sum: number) => Math.abs(total - sum) <= sum * DOUBLED_TOLERANCE_RATIO;
  return isNear(doubled) && !isNear(sumOf(usage)) && !isNear(sumOf(usage) - usage.reasoning);
}

function sumOf({ input, output, reasoning, cacheRead, cacheWrite }: Usage): number {
  return input + output + reasoning + cacheRead + cacheWrite;
}

function clamp(tokens: number | undefined, tally: Tally): number | undefined {
  if (tokens === undefined || tokens >= 0) return tokens;
  tally.repair('negative token count');
  return 0;
}
