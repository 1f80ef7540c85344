import { describe, expect, it } from 'vitest';
import { ownOrigin } from '../../../src/cli/package.ts';
import {
  policies,
  type PolicyName,
  type PolicyOverrides,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { renderDiagnosis } from '../../../src/simulator/report/doctor.ts';
import { examine } from '../../../src/simulator/scenario/checkup.ts';

describe('doctor', () => {
  it.each<[string, PolicyOverrides['prune'], string]>([
    ['anthropic-clear-tool-uses', {}, 'every tool output but the newest 3'],
    [
      'anthropic-clear-tool-uses',
      {
        keepLast: {
          outputs: 1,
          excludedTools: ['task'],
          aboveOutputs: 9,
          leastTokens: 5_000,
          clearsInputs: ['bash'],
        },
      },
      'every tool output but the newest 1, never task, above 9 of them, if 5,000 tokens or more go, with inputs of bash',
    ],
    [
      'vercel-prune-messages',
      {},
      'calls with their results before the last 2 messages, thoughts before the last message',
    ],
    ['verdict-scored', {}, 'a verdict on every tool output but the newest 3, by size-and-age'],
    [
      'verdict-scored',
      { byVerdict: { judge: () => 'keep' as const, byTool: { bash: 'drop' } } },
      'a verdict on every tool output but the newest 3, by a function and a table of 1 tool',
    ],
  ])('says what %s takes out', (name, prune, expected) => {
    const policy = resolvePolicy(policies[name as PolicyName], { ...(prune && { prune }) });
    const limits = { contextTokens: 200_000 };
    const target = { policy, limits };
    const diagnosis = {
      origin: ownOrigin(),
      model: 'x/m',
      keys: [],
      places: [],
      checkup: examine({ base: target, target, given: {}, floorTokens: 0, summarizer: undefined }),
      findings: [],
      late: [],
    };
    expect(renderDiagnosis(diagnosis, { colors: false, details: true })).toContain(
      `\nprune: on overflow, ${expected}\n`,
    );
  });
});
