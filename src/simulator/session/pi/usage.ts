import { NANO_USD_PER_USD } from '../../lib/units.ts';
import type { RecordedUsage } from '../reading/cache-mark.ts';
import { countKinds } from '../reading/count-kinds.ts';
import type { RecordedCost } from '../session.ts';
import type { PiUsage } from './record.ts';

/** The count of a step; unknown as `countKinds` has it, as in a step that was cut off before it began. */
export function toUsage(recorded: PiUsage): RecordedUsage | undefined {
  return countKinds({
    input: recorded?.input,
    output: recorded?.output,
    cacheRead: recorded?.cacheRead,
    cacheWrite: recorded?.cacheWrite,
  });
}

/**
 * What a step cost; absent where nothing says, where it is free, as models without a price are recorded, and where no
 * request can have cost as much.
 */
export function toCost(recorded: PiUsage): RecordedCost | undefined {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = recorded?.cost ?? {};
  const cost = {
    inputNanoUsd: toNanoUsd(input + cacheRead + cacheWrite),
    outputNanoUsd: toNanoUsd(output),
  };
  const nanoUsd = cost.inputNanoUsd + cost.outputNanoUsd;
  return nanoUsd > 0 && Number.isSafeInteger(nanoUsd) ? cost : undefined;
}

function toNanoUsd(usd: number): number {
  return Math.round(Math.max(0, usd) * NANO_USD_PER_USD);
}
