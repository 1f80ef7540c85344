import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSetupOf, recordedIn } from '../../src/cli/plan/defaults.ts';
import { AnswerSchema } from '../../src/simulator/report/answer-schema.ts';
import { loadNamed } from '../../src/simulator/session/load.ts';
import { mainStretch } from '../../src/simulator/setup/setup.ts';
import { callMain } from '../support/command.ts';

const FOLDER = resolve(import.meta.dirname, '../../../shared/inputs');
const note = existsSync(FOLDER) ? '' : ' (skipped: ../shared/inputs is not there)';
const BELOW = join(FOLDER, 'recorded-below-200k-on-a-million.jsonl');
const FORK = join(FOLDER, 'claude-fork-begins-at-manual-boundary.jsonl');

const setupIn = (file: string) => {
  const [recorded] = recordedIn([file]);
  return createSetupOf({ set: [] }, {})(recorded!.evidence, file);
};

const answerTo = async (file: string) => {
  const { stdout } = await callMain(['answer', file, '--all', '--format', 'json']);
  return { stdout, answer: AnswerSchema.parse(JSON.parse(stdout)) };
};

describe.skipIf(note !== '')(`a session that compacts below 200,000 of a million${note}`, () => {
  it('has a window of 200,000, without any of its compactions as well', () => {
    const setup = setupIn(BELOW);
    expect(setup).toMatchObject({ preset: 'claude-code', release: '2.1.219' });
    expect(setup.stretches).toHaveLength(1);
    expect(mainStretch(setup).window).toEqual({ value: 200_000, source: 'inferred' });
    expect(setup).not.toHaveProperty('judged');
  });

  it('is predicted to the step', async () => {
    const { stdout } = await callMain(['sessions', 'validate', BELOW, '--format', 'json']);
    expect(JSON.parse(stdout).compactions).toMatchObject({
      automatic: 4,
      exact: 4,
      notRecorded: 0,
    });
  });

  it('is advised nothing of a larger window', async () => {
    const { answer, stdout } = await answerTo(BELOW);
    expect(answer.recorded.compactions).toBe(4);
    const [simulated] = answer.simulated;
    const isToldApart = answer.leftOut.unfit.sessions === 1 && answer.verdict.length === 0;
    expect(isToldApart || simulated?.compactions.simulated === 4).toBe(true);
    expect(stdout).not.toContain('633000');
  });
});

describe.skipIf(note !== '')(`a fork that begins at a boundary${note}`, () => {
  it('begins with a compaction by hand before its first step', async () => {
    const { isPartial, recordedCompactions } = loadNamed(FORK);
    expect(isPartial).toBe(true);
    expect(recordedCompactions).toMatchObject([
      { kind: 'full', trigger: 'manual', tokensBefore: 121_000, tokensAfter: 9_000 },
    ]);
    expect((await answerTo(FORK)).answer.recorded.compactions).toBe(1);
  });

  it('takes nothing of its window from that', () => {
    const [stretch] = setupIn(FORK).stretches;
    expect(stretch?.window.source).not.toBe('inferred');
    expect(setupIn(FORK)).not.toHaveProperty('judged');
  });
});
