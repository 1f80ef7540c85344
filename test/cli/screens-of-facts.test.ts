import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { callMain } from '../support/command.ts';
import { FITS, measureScreen } from '../support/screens.ts';
import { chatOf, createFolder, fixture, writeFile } from '../support/session-files.ts';

const folder = createFolder();
for (let turns = 3; turns < 9; turns++) writeFile(folder, `chat-${turns}.json`, chatOf(turns, 400));

const recorded = join(import.meta.dirname, '../../scenarios/recorded');
const compacted = join(recorded, 'csv-format.json');
const SMALL = ['--set', 'contextTokens=50000', '--set', 'protect=3000', '--set', 'minimum=1000'];
const sessions = createFolder();
for (const name of ['pi.jsonl', 'claude-code.jsonl']) writeFile(sessions, name, fixture(name));

const WRONG = '{ metrics: { steps: "> 5", turns: 1, compactions: 7 }, state: failed }';
const good = createFolder();
writeFile(good, 'good.yaml', sampleText());
const bad = createFolder();
for (let number = 1; number < 9; number++) {
  const text = sampleText({ expect: number < 7 ? WRONG : '{}' });
  writeFile(bad, `a-scenario-of-a-longer-name-than-most-have-${number}.yaml`, text);
}
const baseline = join(createFolder(), 'baseline');
const limits = writeFile(
  folder,
  'limits/limits.json',
  JSON.stringify([
    { context: 32_000, input: null, output: 32_000, toolCall: true, models: 3 },
    { context: 9_000, input: null, output: null, toolCall: false, models: 1 },
  ]),
);
const home = createFolder();
writeFile(home, '.config/opencode/opencode.json', '{"compaction":{"reserved":30000}}');
const configured = writeFile(home, 'opencode.json', '{"compaction":{"reserved":300000}}');
const echo = `${process.execPath} -e "process.stdin.pipe(process.stdout)"`;

beforeAll(async () => {
  await callMain(['check', good, '--baseline', baseline, '--bless', '--reason', 'the first']);
});

it.each<[string, readonly string[], (readonly [string, string])?]>([
  ['explain', [compacted]],
  ['explain', [compacted, ...SMALL]],
  ['explain', [compacted, ...SMALL, '--step', '5']],
  ['explain', [compacted, ...SMALL, '--step', '6']],
  ['explain', [join(folder, 'chat-3.json'), '--step', '1']],
  ['summarizers', [compacted]],
  ['summarizers', [recorded]],
  ['doctor', [], ['HOME', createFolder()]],
  ['doctor', [], ['HOME', home]],
  ['doctor', ['--config', configured]],
  ['doctor', ['--policy', 'dcp', '--set', 'contextTokens=30000']],
  ['doctor', ['--limits', limits]],
  ['check', [good]],
  ['check', [bad]],
  ['check', [good, '--baseline', baseline]],
  ['check', [good, '--baseline', join(folder, 'none')]],
  ['check', [folder, '--adapter', echo]],
  ['sessions stats', [join(sessions, 'pi.jsonl')]],
  ['sessions stats', [sessions]],
  ['sessions stats', [folder, '--by', 'session']],
])(
  'the first screen of %s %j has at most 20 lines of 100 columns',
  async (command, argv, given) => {
    const options = given === undefined ? {} : { env: Object.fromEntries([given]) };
    expect(await measureScreen(command, argv, options)).toEqual(FITS);
  },
);
