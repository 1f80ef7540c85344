import { describe, expect, it } from 'vitest';
import { toUsage as ofAiSdk } from '../../../../src/simulator/session/ai-sdk/usage.ts';
import { toUsage as ofAtif } from '../../../../src/simulator/session/atif/usage.ts';
import { toUsage as ofClaudeCode } from '../../../../src/simulator/session/claude-code/usage.ts';
import { usageOf as ofCline } from '../../../../src/simulator/session/cline/message.ts';
import { toUsage as ofCodex } from '../../../../src/simulator/session/codex/usage.ts';
import { toUsage as ofGemini } from '../../../../src/simulator/session/gemini-cli/usage.ts';
import { toUsage as ofOpencode } from '../../../../src/simulator/session/opencode/usage.ts';
import { toUsage as ofPi } from '../../../../src/simulator/session/pi/usage.ts';
import type { RecordedUsage } from '../../../../src/simulator/session/reading/cache-mark.ts';
import { toChatUsage } from '../../../../src/simulator/session/reading/inclusive-usage.ts';
import { createTally } from '../../../../src/simulator/session/reading/tally.ts';

/** Takes what a format records, which is another type for each. */
type Read = (recorded: never) => RecordedUsage | undefined;
type OpencodeMessage = Parameters<typeof ofOpencode>[0];

const readOpencode = (tokens: OpencodeMessage['info']['tokens']) =>
  ofOpencode({ info: { tokens }, parts: [] } as unknown as OpencodeMessage, createTally());
const readCline = (metrics: Parameters<typeof ofCline>[0]['metrics']) =>
  ofCline({ metrics } as Parameters<typeof ofCline>[0]);

/** How each format names the tokens of a request and of its answer. */
const READERS: readonly (readonly [name: string, input: string, output: string, read: Read])[] = [
  ['Claude Code', 'input_tokens', 'output_tokens', ofClaudeCode],
  ['pi', 'input', 'output', ofPi],
  ['OpenCode', 'input', 'output', readOpencode],
  ['Codex', 'input_tokens', 'output_tokens', ofCodex],
  ['Gemini CLI', 'input', 'output', ofGemini],
  ['ATIF', 'prompt_tokens', 'completion_tokens', ofAtif],
  ['Cline', 'inputTokens', 'outputTokens', readCline],
  ['the AI SDK', 'inputTokens', 'outputTokens', ofAiSdk],
  ['chat completions', 'prompt_tokens', 'completion_tokens', toChatUsage],
];

describe.each(READERS)('the usage of a step of %s', (_, input, output, read) => {
  const readCounts = (counts: Readonly<Record<string, number>>) => read(counts as never);

  it('is unknown where no input is told', () => {
    expect(readCounts({ [output]: 80 })).toBeUndefined();
  });

  it('is unknown where nothing was counted', () => {
    expect(readCounts({ [input]: 0, [output]: 0 })).toBeUndefined();
  });

  it('is known where the input is told', () => {
    expect(readCounts({ [input]: 100, [output]: 80 })).toMatchObject({ input: 100, output: 80 });
  });
});
