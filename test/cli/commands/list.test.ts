import { describe, expect, it } from 'vitest';
import { listings } from '../../../src/cli/commands/list.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { policies } from '../../../src/engine/index.ts';
import { callMain } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const list = (...argv: readonly string[]) => callMain(['list', ...argv]);
const originOf = async (...argv: readonly string[]) =>
  JSON.parse((await list(...argv, '--format', 'json')).stdout).origin;

describe('list', () => {
  it.each(Object.keys(listings))(
    'lists %s, each on a line that begins with its name',
    async (kind) => {
      const { code, stdout, stderr } = await list(kind);
      expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
      const listed = await list(kind, '--format', 'json');
      const { origin, items, ...told } = JSON.parse(listed.stdout);
      expect(told).toEqual({ kind });
      expect(origin.version).toMatch(/^\d+\.\d+\.\d+/);
      const names = items.map(({ name }: { name: string }) => name);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.map((line) => line.split(' ')[0])).toEqual(names);
      expect(lines.every((line) => line.length > line.split(' ')[0]!.length)).toBe(true);
    },
  );

  it('lists the policies that the engine has, with every number in them', async () => {
    const { stdout } = await list('policies', '--format', 'json');
    expect(JSON.parse(stdout).items).toEqual(Object.values(policies));
  });

  it('lists settings with their units', async () => {
    const { stdout } = await list('settings');
    expect(stdout).toMatch(/^guardTurns +turns +\S/m);
  });

  it('lists only what has a part in its name', async () => {
    const { stdout } = await list('models', 'SONNET-4-5');
    expect(stdout).toMatch(/^anthropic\/claude-sonnet-4-5 +context 200,000 +output 64,000 /m);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .every((line) => line.includes('sonnet-4-5')),
    ).toBe(true);
  });

  it('lists the models of another catalog', async () => {
    const api = { a: { models: { 'b\u001b[2J': { limit: { context: 0, output: 5 } } } } };
    const catalog = writeFile(createFolder(), 'api.json', JSON.stringify(api));
    const { stdout } = await list('models', '--catalog', catalog);
    expect(stdout).toMatch(/^a\/b\\u001b\[2J {2}context unknown {2}output 5 {2}/);
  });

  it('tells as JSON which catalog models are of', async () => {
    const catalog = writeFile(createFolder(), 'api.json', '{"a": {"models": {"b": {}}}}');
    expect((await originOf('models')).catalog.source).toBe('shipped');
    const { source, hash } = (await originOf('models', '--catalog', catalog)).catalog;
    expect(source).toBe('given');
    expect(hash).not.toBe((await originOf('models')).catalog.hash);
    expect((await originOf('laws')).catalog).toBeUndefined();
  });

  it('leaves out of models on a narrow terminal what there is no room for, and says so', async () => {
    const { stdout } = await callMain(['list', 'models', 'sonnet-4-5'], {
      isTTY: true,
      columns: 60,
    });
    expect(stdout).toMatch(/^anthropic\/claude-sonnet-4-5 +context 200,000$/m);
    expect(stdout).toMatch(/\n\nNo room for output; label: a wider terminal or --format json\s/);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['nothing', [], /missing required argument 'kind'/],
    ['what it does not know', ['polices'], /Unknown list 'polices'\. Nearest: policies/],
    ['another format', ['policies', '--format', 'csv'], /Unknown list format 'csv'.*table, json/],
    ['what is in no name', ['policies', 'zzz'], /None of the policies has 'zzz' in its name/],
    ['too much', ['policies', 'a', 'b'], /too many arguments/],
  ])('refuses %s', async (_, argv, message) => {
    const { code, stdout, stderr } = await list(...argv);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
