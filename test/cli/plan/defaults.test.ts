import { describe, expect, it } from 'vitest';
import { readDefaults, recordedIn } from '../../../src/cli/plan/defaults.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();

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
const late = claudeCode('late', '2.1.170', 'claude-opus-4-5');
const other = claudeCode('other', '2.1.170', 'claude-sonnet-4-5');
const unpriced = claudeCode('unpriced', '2.1.170', 'claude-of-tomorrow');
const chat = writeFile(folder, 'chat.json', chatOf(3));
const OPUS = 'anthropic/claude-opus-4-5-20251101';
const EARLY = 'claude-code-2.1.14';
const NOTHING = { set: [] };
const POLICY_TOO = 'The other sessions are run with that policy, too.';
const OWN_MODEL = 'Each session keeps its own model.';
const OTHER_EDGES = expect.stringMatching(/compact at 78 % of the window, today's at 84 %\.$/);

describe('readDefaults', () => {
  it.each<
    [
      what: string,
      files: readonly string[],
      policy: string,
      model: string | undefined,
      note: string[],
    ]
  >([
    [
      'one release',
      [early],
      EARLY,
      OPUS,
      [`As recorded: policy '${EARLY}' and model '${OPUS}'; '--policy' and '--model' name others.`],
    ],
    [
      'the newest of several releases',
      [early, late],
      'claude-code',
      OPUS,
      [expect.stringContaining(`model '${OPUS}';`), OTHER_EDGES],
    ],
    [
      'most sessions',
      [early, other, late],
      'claude-code',
      OPUS,
      [
        `As recorded: policy 'claude-code' and model '${OPUS}' (2 of 3 sessions); '--policy' and '--model' name others.`,
        OWN_MODEL,
        OTHER_EDGES,
      ],
    ],
    [
      'a model that the catalog lacks',
      [unpriced],
      'claude-code',
      'anthropic/claude-of-tomorrow',
      [expect.stringContaining("model 'anthropic/claude-of-tomorrow'")],
    ],
    [
      'an agent beside what no preset stands for',
      [early, chat],
      EARLY,
      OPUS,
      [expect.stringContaining(`(1 of 2 sessions); '--policy'`), POLICY_TOO, OWN_MODEL],
    ],
    ['nothing', [chat], 'opencode-1.2.16', 'anthropic/claude-sonnet-4-5', []],
  ])('takes from %s what most have', (_, files, policy, model, notes) => {
    const { usual, ...found } = readDefaults(NOTHING, recordedIn(files), {});
    expect(found).toMatchObject({ policy, notes });
    expect(usual?.id).toBe(model);
  });

  it('leaves alone what is named, varied or configured', () => {
    const config = writeFile(folder, 'named.json', '{"model": "openai/gpt-5.1"}');
    const noted = (named: object) =>
      readDefaults({ ...NOTHING, ...named }, recordedIn([early]), {}).notes;
    expect(noted({ policy: 'pi', config })).toEqual([]);
    expect(noted({ policy: ['pi'], model: ['gpt-5.1'] })).toEqual([]);
    expect(noted({ vary: ['policy=pi,none', 'model=a,b'] })).toEqual([]);
    expect(noted({ config })[0]).toBe(`As recorded: policy '${EARLY}'; '--policy' names another.`);
  });
});

/** Every command that replays sessions, and where its JSON says under which policy and model. */
const COMMANDS: readonly (readonly [
  name: string,
  argv: readonly string[],
  read: (json: ReturnType<typeof JSON.parse>) => readonly unknown[],
])[] = [
  [
    'run',
    [],
    ({ provenance, runs }) => [
      provenance.policies.map(({ name }: { name: string }) => name).at(-1),
      runs[0].model,
    ],
  ],
  ['sweep', ['--jobs', '1'], ({ cells }) => [cells[0].policy, cells[0].model]],
  ['tune', ['--vary', 'reserved=1k,2k', '--jobs', '1'], ({ policy, model }) => [policy, model]],
  ['whatif', [], ({ policy, variants }) => [policy, variants[0].model]],
  [
    'summarizers',
    ['--summarizers', 'lead'],
    ({ provenance }) => [provenance.policy, provenance.model],
  ],
  ['explain', [], ({ policy, start }) => [policy, start.model]],
];

describe('commands', () => {
  it.each(COMMANDS)(
    '%s takes agent and model from recordings, and what is named instead',
    async (name, more, read) => {
      const call = async (...argv: readonly string[]) => {
        const { stdout, stderr } = await callMain([
          name,
          early,
          ...more,
          '--format',
          'json',
          ...argv,
        ]);
        return { found: read(JSON.parse(stdout)), stderr };
      };
      const { found, stderr } = await call();
      expect(found).toEqual([EARLY, OPUS]);
      expect(stderr).toContain(`Note: As recorded: policy '${EARLY}'`);
      const named = await call('--policy', 'pi', '--model', 'claude-sonnet-4-5');
      expect(named.found).toEqual(['pi', 'anthropic/claude-sonnet-4-5']);
      expect(named.stderr).not.toContain('As recorded');
      const config = writeFile(folder, 'opencode.json', '{"model": "openai/gpt-5.1"}');
      expect((await call('--config', config)).found).toEqual([EARLY, 'openai/gpt-5.1']);
    },
  );

  it('compare holds one policy against the recorded run, at the recorded model', async () => {
    const { stdout } = await callMain(['compare', 'pi', early, '--format', 'json']);
    const { a, b, origins, verdict } = JSON.parse(stdout);
    expect([a, b, verdict[0].baseline]).toEqual(['recorded', 'pi', 'recorded']);
    expect(Object.keys(origins.b.tokenizers)).toEqual([OPUS]);
    const alone = await callMain(['compare', chat]);
    expect(alone.stderr).toMatch(/^Expected two presets or two files of results, got only '/);
  });
});
