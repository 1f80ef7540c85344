import { describe, expect, it } from 'vitest';
import { readRecordedDefaults } from '../../../src/cli/plan/recorded-defaults.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const catalog = readCatalog();

function claudeCode(name: string, version: string, model: string): string {
  const shared = { sessionId: name, version, cwd: '/w', timestamp: '2026-01-01T00:00:00.000Z' };
  const usage = { input_tokens: 9, output_tokens: 2 };
  const answer = {
    id: 'm1',
    role: 'assistant',
    model,
    usage,
    content: [{ type: 'text', text: 'b' }],
  };
  const lines = [
    {
      ...shared,
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      message: { role: 'user', content: 'a' },
    },
    { ...shared, type: 'assistant', uuid: 'u2', parentUuid: 'u1', message: answer },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return writeFile(folder, `${name}.jsonl`, text);
}

const early = claudeCode('early', '2.1.20', 'claude-opus-4-5-20251101');
const late = claudeCode('late', '2.1.40', 'claude-opus-4-5');
const other = claudeCode('other', '2.1.40', 'claude-sonnet-4-5');
const unpriced = claudeCode('unpriced', '2.1.40', 'claude-of-tomorrow');
const chat = writeFile(folder, 'chat.json', chatOf(3));

const OPUS = 'anthropic/claude-opus-4-5-20251101';
const EARLY = 'claude-code reserved=25000 countNewer=false prune=false';

describe('readRecordedDefaults', () => {
  it.each<
    [what: string, files: readonly string[], policy: string | undefined, model: string | undefined]
  >([
    ['a release', [early], EARLY, OPUS],
    ['several releases of an agent', [early, late], 'claude-code', OPUS],
    ['several models', [late, other], 'claude-code', undefined],
    ['a model that the catalog lacks', [unpriced], 'claude-code', undefined],
    ['an agent beside what no preset stands for', [early, chat], undefined, OPUS],
    ['nothing', [], undefined, undefined],
  ])('takes from %s what holds for all', (_, files, policy, model) => {
    expect(readRecordedDefaults(files, catalog)).toEqual({ policy, model });
  });
});

describe('run', () => {
  const runJson = async (...argv: readonly string[]) => {
    const { stdout } = await callMain(['run', early, '--format', 'json', ...argv]);
    const { provenance, runs } = JSON.parse(stdout);
    const policies = provenance.policies.map(({ name }: { name: string }) => name);
    return { model: runs[0].model, policies };
  };

  it('takes agent and model from the recordings', async () => {
    expect(await runJson()).toEqual({ model: OPUS, policies: ['none', EARLY] });
  });

  it('takes what is named instead', async () => {
    const named = ['--policy', 'pi', '--model', 'claude-sonnet-4-5'];
    expect(await runJson(...named)).toEqual({
      model: 'anthropic/claude-sonnet-4-5',
      policies: ['pi'],
    });
    const config = writeFile(folder, 'opencode.json', '{"model": "openai/gpt-5.1"}');
    expect((await runJson('--config', config)).model).toBe('openai/gpt-5.1');
  });
});
