import { describe, expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const env = { COMPACTION_BENCH_CACHE: createFolder() };
const chat = writeFile(folder, 'chat.json', chatOf(3));
const EARLY = 'claude-code-2.1.14';
const MODEL = 'anthropic/claude-sonnet-4-5';

/** Policies as people write them, and as they are called. */
const POLICIES: readonly (readonly [text: string, name: string])[] = [
  ['opencode-1.18.14', 'opencode-1.18'],
  ['opencode', 'opencode-2.0'],
  ['claude-code-2.1.20', EARLY],
  ['claude', 'claude-code'],
  ['opencode-1.18 prune=off protect=40K', 'opencode-1.18 protect=40000 prune=false'],
];

/** Each command has a document of its own. */
type Json = ReturnType<typeof JSON.parse>;

/** Under which policy and model a command ran, and with which settings for all. */
interface Ran {
  readonly policy: string;
  readonly model: string;
  readonly settings: object;
}

/** Every command with policies: its command line for one, and what its JSON says. */
const COMMANDS: readonly (readonly [
  name: string,
  argvOf: (policy: string) => readonly string[],
  read: (json: Json) => Ran,
])[] = [
  [
    'run',
    (policy) => [chat, '--policy', policy],
    ({ runs, provenance }) => ({ ...runs.at(-1), settings: provenance.settings }),
  ],
  [
    'compare',
    (policy) => ['pi', policy, chat],
    ({ b, origins }) => {
      const { tokenizers, settings } = origins.b;
      return { policy: b, model: Object.keys(tokenizers).join(' '), settings };
    },
  ],
  ['sweep', (policy) => [chat, '--policy', policy, '--jobs', '1'], ({ cells }) => cells[0]],
  [
    'tune',
    (policy) => [chat, '--policy', policy, '--vary', 'reserved=1k,2k', '--jobs', '1'],
    ({ policy, model, origin }) => ({ policy, model, settings: origin.settings }),
  ],
  [
    'whatif',
    (policy) => [chat, '--policy', policy],
    ({ policy, variants, origin }) => ({
      policy,
      model: variants[0].model,
      settings: origin.settings,
    }),
  ],
  [
    'explain',
    (policy) => [chat, '--policy', policy],
    ({ policy, start, origin }) => ({ policy, model: start.model, settings: origin.settings }),
  ],
  [
    'summarizers',
    (policy) => [chat, '--policy', policy, '--summarizers', 'lead'],
    ({ provenance: { policy, model, origin } }) => ({ policy, model, settings: origin.settings }),
  ],
];

async function jsonOf(argv: readonly string[]) {
  const { stdout, stderr } = await callMain([...argv, '--format', 'json'], { env });
  return stdout === '' ? { stderr } : JSON.parse(stdout);
}

describe('names and values as people write them', () => {
  it.each(COMMANDS)('are understood by %s', async (command, argvOf, read) => {
    const set = ['--set', 'prune=off', '--set', 'minimum=40K', '--model', 'claude-sonnet-4-5'];
    for (const [text, name] of POLICIES) {
      const json = await jsonOf([command, ...argvOf(text), ...set]);
      const { policy, model, settings } = read(json);
      expect([text, policy, model]).toEqual([text, name, MODEL]);
      expect(settings).toMatchObject({ prune: false, minimum: 40_000 });
    }
  });

  it('are understood where they vary', async () => {
    const vary = (...axes: readonly string[]) => axes.flatMap((axis) => ['--vary', axis]);
    const { cells } = await jsonOf([
      'sweep',
      chat,
      '--jobs',
      '1',
      ...vary('prune=on,off', 'protect=20k,40K', 'policy=opencode-1.18.14,claude-code-2.1.20'),
    ]);
    const namesOf = (key: string) => [
      ...new Set(
        cells
          .filter(({ isToday }: Json) => !isToday)
          .map((cell: Json) => cell[key] ?? cell.settings[key]),
      ),
    ];
    expect(namesOf('prune')).toEqual([true, false]);
    expect(namesOf('protect')).toEqual([20_000, 40_000]);
    expect(namesOf('policy')).toEqual(['opencode-1.18', EARLY]);
    const tuned = await jsonOf(['tune', chat, '--jobs', '1', ...vary('protect=20k,40K')]);
    expect(tuned.today.settings).toEqual({ protect: 40_000 });
  });
});
