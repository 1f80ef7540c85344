import { describe, expect, it } from 'vitest';
import {
  checkOverflow,
  isCompactionRequired,
  type Limits,
  policies,
  type Policy,
  type PolicyName,
} from '../../../src/engine/index.ts';
import { usage } from '../../support/history.ts';

/** A policy acts when its count reaches the number, or when it passes it. */
type Sign = 'at' | 'above';
type Figures = readonly [number, number, number, number];
/** A row of the table: as it is called there, which preset it is, and what it has for each model. */
type Row = readonly [row: string, preset: PolicyName, sign: Sign, figures: Figures];

const MODELS: readonly Limits[] = [
  { contextTokens: 128_000, outputTokens: 16_384 },
  { contextTokens: 200_000, outputTokens: 64_000 },
  { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 },
  { contextTokens: 1_000_000, outputTokens: 64_000 },
];

const NINE_TENTHS = [115_200, 180_000, 360_000, 900_000] as const;

/** Trigger points that the comparison of peers works out of the formulas. Source: comparison of peers, section 25. */
const ROWS: readonly Row[] = [
  ['opencode-2025', 'opencode-1.1.23', 'above', [111_616, 168_000, 272_000, 968_000]],
  ['opencode-v1', 'opencode-1.14.40', 'at', [111_616, 168_000, 252_000, 968_000]],
  ['mimo', 'mimo-code', 'at', [95_232, 148_000, 240_000, 948_000]],
  ['claude-code', 'claude-code', 'at', [98_616, 167_000, 367_000, 967_000]],
  ['qwen-code', 'qwen-code', 'at', [95_000, 167_000, 340_000, 850_000]],
  ['gemini-cli', 'gemini-cli', 'at', [64_000, 100_000, 200_000, 500_000]],
  ['codex', 'codex-local', 'at', [115_200, 180_000, 244_800, 900_000]],
  ['pi', 'pi', 'above', [111_616, 183_616, 383_616, 983_616]],
  ['cline-sdk', 'cline', 'at', [103_680, 162_000, 244_800, 810_000]],
  ['cline-classic', 'cline-classic', 'at', [98_000, 160_000, 360_000, 960_000]],
  ['roo', 'roo-code', 'above', [98_816, 116_000, 232_000, 836_000]],
  ['goose', 'goose', 'above', [102_400, 160_000, 320_000, 800_000]],
  ['crush', 'crush', 'at', [102_400, 160_000, 380_000, 980_000]],
  ['kimi', 'kimi-cli', 'at', [78_000, 150_000, 340_000, 850_000]],
  ['continue-cli', 'continue-cli', 'at', [96_616, 121_000, 257_000, 921_000]],
  ['copilot (block)', 'copilot-chat', 'at', [103_360, 161_500, 323_000, 807_500]],
  ['letta', 'letta', 'above', NINE_TENTHS],
  ['inspect', 'inspect-edit', 'above', NINE_TENTHS],
  ['docker', 'docker-agent', 'at', NINE_TENTHS],
  ['deepagents', 'deepagents', 'at', [108_800, 170_000, 340_000, 850_000]],
  ['hermes', 'hermes', 'at', [64_000, 100_000, 200_000, 500_000]],
  ['anthropic compact', 'anthropic-compact', 'at', [150_000, 150_000, 150_000, 150_000]],
  ['anthropic clear', 'anthropic-clear-tool-uses', 'above', [100_000, 100_000, 100_000, 100_000]],
  ['aider', 'aider', 'above', [8_000, 8_192, 8_192, 8_192]],
];

/** The least count of tokens at which something is done. */
function firstOver(isOver: (countTokens: number) => boolean): number {
  let [under, over] = [-1, 2_000_000];
  while (over - under > 1) {
    const middle = Math.floor((under + over) / 2);
    if (isOver(middle)) over = middle;
    else under = middle;
  }
  return over;
}

describe('the trigger table', () => {
  it.each(ROWS)('%s is %s, which acts %s these tokens', (_, name, sign, figures) => {
    const { trigger }: Policy = policies[name];
    // Of one that begins beside the loop, where the loop waits for it.
    const rule = trigger.background?.blocksAt ?? trigger.overflow;
    const reached = MODELS.map((limits) =>
      firstOver(
        (input) => checkOverflow(usage({ input }), limits, { ...trigger, rule }).isOverflow,
      ),
    );
    expect(reached).toEqual(figures.map((tokens) => (sign === 'at' ? tokens : tokens + 1)));
  });

  it('opencode-v2 is the first state of the 2.0 engine', () => {
    const options = {
      rule: 'core-2026-06-05',
      auto: true,
      bufferTokens: 20_000,
      isAfterCheckpoint: false,
    } as const;
    const reached = MODELS.map((limits) =>
      firstOver((count) => isCompactionRequired(count, limits, options)),
    );
    expect(reached).toEqual([108_001, 136_001, 272_001, 936_001]);
  });
});
