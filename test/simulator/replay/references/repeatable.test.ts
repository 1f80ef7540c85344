import { describe, expect, it } from 'vitest';
import type { ToolPart } from '../../../../src/engine/index.ts';
import { step, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, say } from './sessions.ts';

describe('a reference', () => {
  it.each<[name: string, part: ToolPart, isBack: boolean]>([
    ['a command', called('s1', 'bash', { command: 'npm test' }, 'is_about'), true],
    ['a write', called('s1', 'Write', { file_path: 'a', content: 'b' }, 'is_about'), false],
    [
      'a command that writes',
      called('s1', 'bash', { command: 'sed -i s,a,b, src/a.ts' }, 'is_about'),
      false,
    ],
    ['a patch without a path', called('s1', 'apply_patch', {}, 'is_about'), false],
    ['the work of another agent', called('s1', 'Task', { prompt: 'x' }, 'is_about'), false],
    [
      'a call that failed',
      {
        ...called('s1', 'read', {}, ''),
        state: { status: 'error', input: {}, error: 'is_about' },
      },
      false,
    ],
    ['what was said in a call', called('s1', 'bash', { command: 'is_about' }, 'x'), false],
  ])('knows whether the same call brings back what it gave: %s', (_, part, isBack) => {
    const trace = traceOf([user('u1'), step('s1', [part]), say('s2', 'is_about')]);
    const [{ source } = expect.fail('no reference')] = trace.references().all;
    expect(source.callTokens > 0).toBe(isBack);
  });
});
