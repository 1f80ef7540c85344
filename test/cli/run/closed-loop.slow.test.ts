import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';

/** A recorded session that reads a file whose content a small window has lost. */
const SESSION = resolve(import.meta.dirname, '../../../scenarios/recorded/csv-format.json');
const SMALL = ['--set', 'contextTokens=50000'];
const CLOSED = 'Closed loop: a scripted agent re-reads what was lost.';
const OPEN = /Counterfactual, fixed trajectory|Open loop/;

const call = (...argv: readonly string[]) => callMain(['--no-cache', ...argv]);

const COMMANDS: readonly [string, readonly string[]][] = [
  ['sweep', [SESSION, '--vary', 'protect=1k,40k', '--jobs', '1']],
  ['tune', [SESSION, '--vary', 'protect=1k,40k', '--objective', 'compactions']],
  ['compare', ['opencode-1.2.16', 'document-002', SESSION]],
  ['whatif', [SESSION, '--no-charts']],
];

describe('--closed-loop', () => {
  it.each(COMMANDS)('stands in what %s prints, and nothing else does', async (command, argv) => {
    const closed = await call(command, ...argv, ...SMALL, '--closed-loop');
    const open = await call(command, ...argv, ...SMALL);
    expect([closed.code, open.code]).toEqual([EXIT.done, EXIT.done]);
    expect(closed.stdout).toContain(CLOSED);
    expect(closed.stdout).not.toMatch(OPEN);
    expect(open.stdout).toMatch(OPEN);
    expect(open.stdout).not.toContain(CLOSED);
  });

  it('gives the runs of a sweep what it gives those of run', async () => {
    const how = [SESSION, '--policy', 'opencode-1.2.16', ...SMALL, '--set', 'protect=1000'];
    const rest = ['--closed-loop', '--format', 'json'];
    const ran = JSON.parse((await call('run', ...how, ...rest)).stdout);
    const swept = JSON.parse((await call('sweep', ...how, ...rest, '--jobs', '1')).stdout);
    expect(ran.runs[0].metrics.rereadSteps).toBeGreaterThan(0);
    expect(swept.cells[0].metrics).toEqual(ran.runs[0].metrics);
  });
});
