import { describe, expect, it } from 'vitest';
import type { ToolState } from '../../../../src/engine/index.ts';
import {
  artifactsOfSession,
  SHIPPED_SCENARIOS,
  shippedScenarios,
} from '../../../../src/simulator/sweep/summarizers/inputs.ts';
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

const MOST_TURNS = 8;

describe('the scenarios that come with the package', () => {
  const sessions = [...shippedScenarios()];
  const turnsOf = ({ messages }: (typeof sessions)[number]) =>
    messages.filter(({ role }) => role === 'user').length;

  it('are as many as are told', () => {
    expect(sessions).toHaveLength(SHIPPED_SCENARIOS);
  });

  it('are small', () => {
    expect(sessions.filter((session) => turnsOf(session) > MOST_TURNS)).toEqual([]);
  });

  it('say what is to be kept of them', () => {
    expect(sessions.filter(({ facts = [] }) => facts.length === 0)).toEqual([]);
  });
});
