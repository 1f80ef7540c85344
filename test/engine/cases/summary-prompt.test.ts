import { describe, expect, it } from 'vitest';
import {
  buildSummaryRequest,
  headingsOf,
  type InstructionName,
  instructions,
  type PolicyName,
  policies,
} from '../../../src/engine/index.ts';
import { user } from '../../support/history.ts';

const promptOf = (name: PolicyName) =>
  buildSummaryRequest({ head: [user('u1')], previousSummary: 'old' }, policies[name].summary)
    .prompt;

describe('summaryPromptStructure', () => {
  it.each<[string, InstructionName, string]>([
    [
      'summaryPromptStructure-002',
      'v1.14.21',
      '## Goal|## Constraints & Preferences|## Progress|### Done|### In Progress|### Blocked|## Key Decisions|## Next Steps|## Critical Context|## Relevant Files',
    ],
    [
      'summaryPromptStructure-003',
      'v1.17.13',
      '## Objective|## Important Details|## Work State|## Next Move',
    ],
    [
      'summaryPromptStructure-004',
      'v1.17.15',
      '## Objective|## Important Details|## Work State|### Completed|### Active|### Blocked|## Next Move|## Relevant Files',
    ],
    [
      'summaryPromptStructure-005',
      'v2.0',
      '## Objective|## Requirements|## Decisions|## Work State|### Completed|### Active|### Blocked|## Next Move|## Relevant Files|## Important Context',
    ],
  ])('%s: asks for these headings in this order from %s on', (_, name, headings) => {
    expect(headingsOf(name).join('|')).toBe(headings);
  });

  it.each<[string, InstructionName, boolean]>([
    ['summaryPromptStructure-002', 'v1.14.21', true],
    ['summaryPromptStructure-003', 'v1.17.13', true],
    ['summaryPromptStructure-004', 'v1.17.15', true],
    ['summaryPromptStructure-005', 'v2.0', false],
  ])('%s: says in %s whether empty sections stay: %s', (_, name, stay) => {
    expect(instructions[name].includes('Keep every heading')).toBe(stay);
    expect(instructions[name].includes('may be left out')).toBe(!stay);
  });

  it('summaryPromptStructure-002: holds the previous summary in a block of its own, which 2.0 does not (summaryPromptStructure-005)', () => {
    expect(promptOf('opencode-1.14.21')).toContain('<previous-summary>\nold\n</previous-summary>');
    for (const name of ['opencode-1.14.40', 'opencode-1.15', 'opencode-1.16'] as const)
      expect(promptOf(name)).toBe(promptOf('opencode-1.14.21'));
    expect(promptOf('opencode-1.18')).toContain('<previous-summary>\nold\n</previous-summary>');
    expect(policies['opencode-2.0'].summary.anchored).toBe(false);
    expect(policies['opencode-2.0'].guards.remindMissingHeadings).toBe(true);
  });
});
