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

const list = (...argv: readonly string[]) => callMain(['list', ...argv]);

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
  });
});
