import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { Decision } from '../../../src/simulator/replay/decisions.ts';
import { callMain } from '../../support/command.ts';

const SHARED = resolve(import.meta.dirname, '../../../../shared/sessions');
const shared = ['claude-code', 'pi'].map((name) => join(SHARED, name));
const hasShared = shared.every((path) => existsSync(path));
const note = hasShared ? '' : ' (skipped: ../shared/sessions is not there)';

describe.skipIf(!hasShared)(`recorded sessions${note}`, () => {
  it('are predicted as well as is promised', async () => {
    const { code, stdout } = await callMain([
      'sessions',
      'validate',
      ...shared,
      '--format',
      'json',
    ]);
    expect(code).toBe(EXIT.done);
    const { overall, sessions } = JSON.parse(stdout);
    expect(overall.contextErrorOneStep).toBe(0);
    expect(overall.contextErrorFreeRunning).toBe(0);
    expect(overall.fitErrorOneStep).toBeLessThanOrEqual(0.005);
    expect(overall.fitErrorFreeRunning).toBeLessThanOrEqual(0.04);
    expect(overall.cacheShareError).toBeLessThanOrEqual(0.01);
    expect(overall.costError).toBeLessThanOrEqual(0.03);
    const steps = sessions.map((session: { steps: number }) => session.steps);
    expect(steps.reduce((total: number, each: number) => total + each, 0)).toBeGreaterThan(1_300);
  });

  it('compact within a step of where the preset of their release does', async () => {
    const { stdout } = await callMain([
      'sessions',
      'validate',
      shared[0] ?? '',
      '--format',
      'json',
    ]);
    const sessions: readonly { readonly decisions: readonly Decision[] }[] =
      JSON.parse(stdout).sessions;
    const compactions = sessions
      .flatMap(({ decisions }) => decisions)
      .filter(({ kind }) => kind === 'compaction');
    expect(compactions.length).toBeGreaterThanOrEqual(6);
    for (const { recordedAfterStep, predictedAfterStep } of compactions) {
      const difference = (predictedAfterStep ?? Infinity) - (recordedAfterStep ?? 0);
      expect(Math.abs(difference)).toBeLessThanOrEqual(1);
    }
  });
});
