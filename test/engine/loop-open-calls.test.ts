import { describe, expect, it } from 'vitest';
import type { ToolPart } from '../../src/engine/index.ts';
import { tool } from '../support/history.ts';
import { document, opencode, said, stepped } from '../support/script.ts';

const open = (status: 'pending' | 'running'): ToolPart => ({
  ...tool('t1', 1),
  state: { status, input: {} },
});

describe.each([opencode, document].map((policy) => [policy.name, policy] as const))(
  'a turn under %s',
  (_, policy) => {
    it('goes on after a call that has not come back, whatever the model says of its end', () => {
      expect(policy).toPlay([
        [said('u1'), 'request u1'],
        [stepped('s1', 1, { finish: 'stop', parts: [open('running')] }), 'request u1 s1'],
        [stepped('s2', 1, { finish: 'stop', parts: [open('pending')] }), 'request u1 s1 s2'],
        [stepped('s3', 1, { finish: 'stop', parts: [tool('t3', 1)] }), 'stop finished'],
      ]);
    });
  },
);
