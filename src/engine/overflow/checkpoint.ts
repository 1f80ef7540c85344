import { type Limits } from '../state.ts';
import { type Arithmetic, inTokens } from '../term.ts';

/** What a checkpoint rule may take from the policy besides the model's limits. */
export interface CheckpointOptions {
  /** Whether anything but a person may compact. */
  readonly auto: boolean;
  /** Tokens kept free below the limit. */
  readonly bufferTokens: number;
  /** Whether the newest message is a finished checkpoint. */
  readonly isAfterCheckpoint: boolean;
}

/** Tokens that a request may have. */
type Ceiling = (limits: Limits, bufferTokens: number) => number;

/** One state of the 2.0 engine: its ceiling, how the request compares with it, and what it never does. */
interface CheckpointRule {
  readonly ceiling: Ceiling;
  readonly comparison: '>' | '>=';
  /** Whether a count of 0 is taken as unknown, and never compacts. */
  readonly zeroIsUnknown: boolean;
  /** Whether it may compact right after a checkpoint. */
  readonly repeats: boolean;
}

/** The buffer of the 2.0 engine where none is configured. */
export const DEFAULT_CHECKPOINT_BUFFER_TOKENS = 20_000;
const OUTPUT_CAP_TOKENS = 32_000;

const outputOf = ({ outputTokens = 0 }: Limits) => outputTokens;
const cappedOutputOf = (limits: Limits) => Math.min(outputOf(limits), OUTPUT_CAP_TOKENS);

/** States of the 2.0 engine by the date or release from which each holds. Source: OpenCode release history (section 11). */
export const checkpointRules = {
  /** The estimate of the whole request against the window less output or buffer, whichever is larger. */
  'core-2026-06-05': {
    ceiling: (limits, bufferTokens) =>
      limits.contextTokens - Math.max(outputOf(limits), bufferTokens),
    comparison: '>',
    zeroIsUnknown: false,
    repeats: true,
  },
  /** The last measured usage; the buffer only where no output is declared. */
  'core-2026-07-10': {
    ceiling: (limits, bufferTokens) => limits.contextTokens - (outputOf(limits) || bufferTokens),
    comparison: '>=',
    zeroIsUnknown: true,
    repeats: true,
  },
  /** The declared output under a cap. */
  'core-2026-07-13': {
    ceiling: (limits, bufferTokens) =>
      limits.contextTokens - (cappedOutputOf(limits) || bufferTokens),
    comparison: '>=',
    zeroIsUnknown: true,
    repeats: true,
  },
  /** Usage with an estimate of what is newer; input caps count; never directly after a checkpoint. */
  'v2.0': {
    ceiling: (limits, bufferTokens) => checkpointCeiling(limits, bufferTokens, inTokens),
    comparison: '>=',
    zeroIsUnknown: false,
    repeats: false,
  },
} satisfies Record<string, CheckpointRule>;

/** The name of a state of the 2.0 engine. */
export type CheckpointRuleName = keyof typeof checkpointRules;

/** Tokens that a request of the 2.0 engine may have, in any arithmetic. */
export function checkpointCeiling<Amount>(
  limits: Limits,
  bufferTokens: number,
  { value, difference, least, most }: Arithmetic<Amount>,
): Amount {
  const { contextTokens, inputTokens } = limits;
  const buffer = value('buffer', bufferTokens);
  const output = value('output', cappedOutputOf(limits));
  const ceiling = difference(value('context', contextTokens), most([output, buffer]));
  return inputTokens
    ? least([difference(value('input cap', inputTokens), buffer), ceiling])
    : ceiling;
}

/** Whether the 2.0 engine compacts before a request of that many tokens. Never without a known window. */
export function isCompactionRequired(
  countTokens: number,
  limits: Limits,
  options: CheckpointOptions & { readonly rule: CheckpointRuleName },
): boolean {
  const rule: CheckpointRule = checkpointRules[options.rule];
  if (!options.auto || limits.contextTokens <= 0) return false;
  if (rule.zeroIsUnknown && countTokens <= 0) return false;
  if (!rule.repeats && options.isAfterCheckpoint) return false;
  const ceilingTokens = rule.ceiling(limits, options.bufferTokens);
  return rule.comparison === '>' ? countTokens > ceilingTokens : countTokens >= ceilingTokens;
}
