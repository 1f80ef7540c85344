import { describe, expect, it } from 'vitest';
import { readDefaults, recordedIn } from '../../../src/cli/plan/defaults.ts';
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
