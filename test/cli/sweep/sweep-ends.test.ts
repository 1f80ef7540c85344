import { describe, expect, it } from 'vitest';
import { createChatSweeps, sweep } from '../../support/chat-sweeps.ts';

const { sessions } = createChatSweeps();

describe('sweep', () => {
  it('counts the runs of a cell that did not complete, by how they ended', async () => {
    const varied = ['--vary', 'contextTokens=1000,0', '--policy', 'document-002'];
    const { cells } = JSON.parse((await sweep([sessions, ...varied, '--format', 'json'])).stdout);
    expect(cells).toMatchObject([
      { completedRuns: 0, endedEarly: { refused: 4 } },
      { completedRuns: 4 },
    ]);
    expect(cells[1]).not.toHaveProperty('endedEarly');
  });
});
