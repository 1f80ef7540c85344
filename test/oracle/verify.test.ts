import { expect, it } from 'vitest';
import { readRecords } from '../../oracle/record.ts';
import { renderDifferences } from '../../oracle/verify.ts';
import { listenTo, start } from '../../oracle/processes.ts';

const [kept] = readRecords();
const [first, ...others] = kept!.requests;

it('a run on another day, with another name of the system, is equal to its record', () => {
  const requests = [{ ...first!, chars: first!.chars + 1 }, ...others];
  expect(renderDifferences(kept!, { ...kept!, requests, observed: '2001-01-01' })).toEqual([]);
});

it('a run that differs says in which field', () => {
  const requests = [{ ...first!, tools: 99 }, ...others.slice(1)];
  const lines = renderDifferences(kept!, { ...kept!, requests, edgeTokens: 7 });
  expect(lines.slice(0, 2)).toEqual([
    `edgeTokens: kept ${kept!.edgeTokens}, seen 7`,
    `requests.0.tools: kept ${first!.tools}, seen 99`,
  ]);
  expect(lines.at(-1)).toMatch(/^and \d+ more$/);
});

it('a program that falls silent is ended', async () => {
  const run = (script: string, silenceMs: number) =>
    listenTo(start(['sh', '-c', script], { stdio: ['ignore', 'ignore', 'pipe'] }), silenceMs);
  expect(await run('echo one >&2; sleep 60', 300)).toMatchObject({ said: 'one\n', isSilent: true });
  expect(await run('echo one >&2; exit 3', 30_000)).toEqual({
    code: 3,
    said: 'one\n',
    isSilent: false,
  });
});
