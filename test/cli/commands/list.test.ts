import { describe, expect, it } from 'vitest';
import { listings } from '../../../src/cli/commands/list.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import {
  instructions,
  policies,
  type PolicyName,
  presetOrigins,
  systemPrompts,
} from '../../../src/engine/index.ts';
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
    const { items } = JSON.parse(stdout) as { items: readonly { readonly name: PolicyName }[] };
    for (const item of items) {
      const { agent, from = null, to = null, evidence, date } = presetOrigins[item.name];
      expect(item).toEqual({ ...policies[item.name], agent, from, to, evidence, date });
    }
    const names = items.map(({ name }) => name);
    expect(names.toSorted()).toEqual(Object.keys(policies).toSorted());
  });

  it('lists the policies of an agent together, controls after all others', async () => {
    const { stdout } = await list('policies', '--format', 'json');
    const agents = JSON.parse(stdout).items.map(({ agent }: { agent: string }) => agent);
    const runs = agents.filter((agent: string, place: number) => agent !== agents[place - 1]);
    expect(runs).toEqual([...new Set(agents)]);
    expect(runs.slice(-2)).toEqual(['Design documents', 'Controls']);
  });

  it.each([60, 80, 100])(
    'shows on a terminal of %i columns agents, releases and how each policy is known',
    async (columns) => {
      const { stdout } = await callMain(['list', 'policies'], { isTTY: true, columns });
      const lines = stdout.trimEnd().split('\n');
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(stdout).toMatch(
        /^OpenCode\n {2}opencode-0\.8 +0\.8\.0 to 0\.9\.4 +read 2026-08\n {4}\S/m,
      );
      expect(stdout).toMatch(/^Controls\n {2}none +own\n {4}Never/m);
      const names = lines.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
      expect(names.toSorted()).toEqual(Object.keys(policies).toSorted());
    },
  );

  it('finds policies by a part of their names, or of their agent', async () => {
    const names = async (part: string) =>
      (await list('policies', part)).stdout.split('\n').flatMap((line) => line.split(' ')[0] || []);
    expect(await names('anthropic-comp')).toEqual(['anthropic-compact']);
    expect(await names('AI SDK')).toEqual(['vercel-prune-messages']);
    expect(await names('controls')).toContain('clairvoyant');
  });

  it('lists the kinds, a line each, where none is named', async () => {
    const { code, stdout, stderr } = await list();
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(Object.keys(listings));
    expect(lines.every((line) => / {2}\S/.test(line))).toBe(true);
    const { kind, items } = JSON.parse((await list('--format', 'json')).stdout);
    expect(kind).toBe('kinds');
    expect(items).toHaveLength(lines.length);
  });

  it('prints what a policy says to models, word by word', async () => {
    const { summary, render } = policies['opencode-1.18'];
    const { items } = JSON.parse(
      (await list('prompts', 'opencode-1.18', '--format', 'json')).stdout,
    );
    const texts = Object.fromEntries(
      items.map(({ name, text }: { name: string; text: string }) => [name, text]),
    );
    expect(texts).toMatchObject({
      'system prompt': systemPrompts[summary.systemPrompt],
      instruction: instructions[summary.instruction],
      'placeholder of a cleared output': render.clearedOutput,
      event: 'session.compacted',
      'hook before the request for a summary': 'experimental.session.compacting',
    });
    const { stdout } = await list('prompts', 'opencode-1.18');
    expect(stdout).toContain(`\n\nplaceholder of a cleared output\n  ${render.clearedOutput}\n\n`);
    expect(stdout).toMatch(/\nresume text \(v1\.1\.57\)\n {2}Continue if you have next steps/);
    expect(stdout).toMatch(/\nevent\n {2}session\.compacted\n/);
  });

  it('names no event of OpenCode for the policy of another agent', async () => {
    expect((await list('prompts', 'claude-code')).stdout).not.toContain('session.compact');
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
});
