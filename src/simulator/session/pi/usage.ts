import type { Usage } from '../../../engine/index.ts';
import { NANO_USD_PER_USD } from '../../units.ts';
import { atLeastZero } from '../lenient.ts';
import type { RecordedCost } from '../session.ts';
import type { PiUsage } from './record.ts';

/** The count of a step; absent where all kinds are zero, as in a step that was cut off before it began. */
export function toUsage(recorded: PiUsage): Usage | undefined {
  const usage: Usage = {
    input: atLeastZero(recorded?.input),
    output: atLeastZero(recorded?.output),
    reasoning: 0,
    cacheRead: atLeastZero(recorded?.cacheRead),
    cacheWrite: atLeastZero(recorded?.cacheWrite),
  };
  return Object.values(usage).some((tokens) => tokens > 0) ? usage : undefined;
}

/** What a step cost; absent where nothing says, and where it is free, as models without a price are recorded. */
export function toCost(recorded: PiUsage): RecordedCost | undefined {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = recorded?.cost ?? {};
  const cost = {
    inputNanoUsd: toNanoUsd(input + cacheRead + cacheWrite),
    outputNanoUsd: toNanoUsd(output),
  };
  return cost.inputNanoUsd + cost.outputNanoUsd > 0 ? cost : undefined;
}

function toNanoUsd(usd: number): number {
  return Math.round(Math.max(0, usd) * NANO_USD_PER_USD);
}
