import { expect, it } from 'vitest';
import type { ToolState } from '../../../../src/engine/index.ts';
import { artifactsOfSession } from '../../../../src/simulator/sweep/summarizers/session-artifacts.ts';
import { step, toolIn, user } from '../../../support/history.ts';

const done = (input: unknown): ToolState => ({ status: 'completed', input, output: '' });

it('is what calls did to files, each at its step, and nothing of calls that failed or only searched', () => {
  const messages = [
    user('u', 'Mend the kettle.'),
    step('one', [
      toolIn('a', done({ filePath: 'src/kettle.ts' }), 'read'),
      toolIn('b', done({ pattern: 'kettle', path: 'src' }), 'grep'),
      toolIn('c', { status: 'error', input: { filePath: 'src/cup.ts' }, error: 'No.' }, 'edit'),
    ]),
    step('two', [
      toolIn('d', done({ filePath: 'src/kettle.ts' }), 'edit'),
      toolIn('e', done({ command: 'rm src/lid.ts' }), 'bash'),
      toolIn('f', done({ patchText: '*** Begin Patch\n*** Add File: src/tea.ts' }), 'apply_patch'),
    ]),
    step('unknown', [toolIn('g', done({ filePath: 'src/spoon.ts' }), 'read')]),
  ];
  const steps = new Map([
    ['u', 0],
    ['one', 1],
    ['two', 2],
  ]);
  expect(artifactsOfSession(messages, steps)).toEqual([
    { path: 'src/kettle.ts', operation: 'read', step: 1 },
    { path: 'src/kettle.ts', operation: 'edit', step: 2 },
    { path: 'src/lid.ts', operation: 'delete', step: 2 },
    { path: 'src/tea.ts', operation: 'create', step: 2 },
  ]);
});
