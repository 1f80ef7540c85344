import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/simulator/report/layout.ts';
import { sampleText } from '../../simulator/scenario/file/sample-scenario.ts';
import { callMain } from '../../support/command.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../../support/sample-report.ts';
import { chatOf, createFolder, fixture, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(6, 1_500));
const chats = join(folder, 'chats');
for (const turns of [4, 5, 6, 7]) writeFile(chats, `${turns}.json`, chatOf(turns, 1_500));
const manySteps = writeFile(folder, 'many-steps.json', chatOf(90, 300));
const call = { name: 'mcp__a_server_with_a_long_name__its_longest_tool', arguments: '{}' };
const calls = [{ id: 'call', type: 'function', function: call }];
const withCall = [
  { role: 'user', content: 'Question' },
  { role: 'assistant', content: '', tool_calls: calls },
  { role: 'tool', tool_call_id: 'call', content: 'word '.repeat(900) },
];
const longTool = writeFile(folder, 'long-tool.json', JSON.stringify(withCall));
const recorded = join(folder, 'recorded');
const NAME = 'a-session-whose-name-is-long-of-';
for (const name of ['claude-code.jsonl', 'pi.jsonl', 'opencode-export.json'])
  writeFile(recorded, `${NAME}${name}`, fixture(name));
writeFile(recorded, 'of-nothing.jsonl', '{"type":"none"}\n');
const scenarios = join(folder, 'scenarios');
writeFile(scenarios, 'good.yaml', sampleText());
const script = ['user: 10', ...Array.from({ length: 90 }, () => 'step: 20')].join(', ');
const longSession = { session: `{ script: [${script}] }` };
const longScenario = writeFile(folder, 'long.yaml', sampleText(longSession));
writeFile(scenarios, 'bad.yaml', sampleText({ expect: '{ metrics: { steps: "> 5" } }' }));

const reportOf = (name: string, factor: number) => {
  const { costUsd, inputTokens, hitRateAfterUser } = sampleMetrics;
  const scaled = Object.entries({ costUsd, inputTokens, hitRateAfterUser }).map(
    ([metric, value]) => [metric, (value ?? 0) * factor],
  );
  const metrics = { ...sampleMetrics, ...Object.fromEntries(scaled) };
  const runs = ['x', 'y', 'z'].map((session) => sampleRun({ session, metrics }));
  return writeFile(folder, name, JSON.stringify(sampleReport({ runs })));
};
const results = [reportOf('before.json', 1), reportOf('after.json', 1.05)];
const shipped = join(import.meta.dirname, '../../../scenarios/recorded/table-widths.json');
const generated = () => join(createFolder(), 'generated');
const RESERVED = ['--vary', 'reserved=1000,25000', '--set', 'contextTokens=40000', '--jobs', '1'];

type Called = readonly [
  command: string,
  /** The first titles of its tables. */
  heads: readonly string[],
  /** Some write a folder each time. */
  argv: () => readonly string[],
];

/** The commands that print tables or much prose. */
const COMMANDS: readonly Called[] = [
  ['run', ['Session'], () => [chat, '--policy', 'opencode-1.2.16', '--details']],
  ['run', ['Policy'], () => [manySteps, '--policy', 'none,opencode-1.2.16', '--chart']],
  ['sweep', ['reserved'], () => [chats, ...RESERVED]],
  ['compare', ['Policy', 'Session', 'Metric'], () => [...results, '--details']],
  [
    'sessions validate',
    ['Format  Release', 'Format  Model'],
    () => [join(recorded, `${NAME}pi.jsonl`)],
  ],
  ['tune', ['Front'], () => [chats, ...RESERVED, '--details']],
  [
    'summarizers',
    ['Arm', 'Arm − base', 'Right after the compaction'],
    () => [recorded, '--summarizers', 'extractive,tail', '--reader', 'scripted:echo', '--details'],
  ],
  ['whatif', [], () => [chat, '--window', '16k,32k']],
  ['whatif', [], () => [manySteps, '--window', '16k,32k', '--details']],
  ['sessions import', ['File'], () => [recorded, '--explain', '--out', generated()]],
  ['sessions stats', ['Tool', 'Figure'], () => [recorded, shipped, '--details']],
  ['sessions stats', ['Tool', 'Figure'], () => [shipped, longTool, '--details']],
  [
    'sessions generate',
    ['Figure', 'Threshold hits'],
    () => ['codex', '--sessions', '2', '--out', generated()],
  ],
  ['list', [], () => ['metrics']],
  ['check', [], () => [scenarios, '--details']],
  ['check', [], () => [scenarios, longScenario, '--chart']],
  ['explain', [], () => [chat, '--policy', 'opencode-1.2.16', '--step', '2', '--details']],
  ['doctor', [], () => ['--policy', 'opencode-1.2.16', '--set', 'reserved=30000']],
];

/** In place of a width. */
const PIPE = 0;
const NARROW = 60;
/** A terminal beside others, and the commands whose tables fit even there. */
const NARROWEST = 40;
const FITTING: readonly string[] = ['run', 'sweep', 'compare', 'tune'];
const WIDE = 1_000;
const NOTE = /No room for (.*?): a wider terminal or --format (\w+) shows/g;
const env = { COMPACTION_BENCH_CACHE: createFolder(), NO_COLOR: '1' };

/** What a command prints on a terminal of so many columns. */
async function print([command, , argv]: Called, columns: number): Promise<string> {
  const { stdout } = await callMain([...command.split(' '), ...argv()], {
    env,
    isTTY: columns !== PIPE,
    columns,
  });
  return stdout;
}

/** The titles of the table that begins with one. */
function titlesOf(text: string, head: string): readonly string[] {
  const found = text.split('\n').find((line) => line === head || line.startsWith(`${head}  `));
  return found?.split(/ {2,}/) ?? [];
}

const isOneWord = (line: string) => /^ *(?:- )?\S+$/.test(line);
const tooWide = (text: string, columns: number) =>
  text.split('\n').filter((line) => widthOf(line) > columns && !isOneWord(line));
const collapse = (text: string) => text.replaceAll(/[\s─]+/g, ' ');

describe.each(COMMANDS.filter(([command]) => FITTING.includes(command)))(
  '%s on a terminal beside others',
  (...called) => {
    it('has no line wider than that but for long words', async () => {
      const text = await print(called, NARROWEST);
      expect(tooWide(text, NARROWEST)).toEqual([]);
    });
  },
);

describe.each(COMMANDS)('%s on a terminal', (...called) => {
  const [command, heads] = called;
  const printed = new Map<number, string>();
  const textOf = (columns: number) => printed.get(columns) ?? '';
  const titlesIn = (columns: number) =>
    heads.flatMap((head) => titlesOf(textOf(columns), head)).length;
  beforeAll(async () => {
    for (const columns of [PIPE, NARROW, 80, WIDE])
      printed.set(columns, await print(called, columns));
  });

  it.each([NARROW, 80])('has no line wider than %i columns but for long words', (columns) => {
    expect(tooWide(textOf(columns), columns)).toEqual([]);
  });

  it.each([NARROW, 80])(
    'names what it leaves out of %i columns, and what has it',
    async (columns) => {
      const notes = [...collapse(textOf(columns)).matchAll(NOTE)];
      const named = notes.flatMap(([, titles = '']) => titles.split('; '));
      for (const head of heads) expect(titlesOf(textOf(WIDE), head).length).toBeGreaterThan(1);
      expect(titlesIn(columns) + named.length).toBe(titlesIn(WIDE));
      const { stdout } = await callMain([...command.split(' '), '--help']);
      const [, formats = ''] = /--format <name> +((?:.|\n {10,})*)/.exec(stdout) ?? [];
      for (const [, , format = ''] of notes) expect(formats).toContain(format);
    },
  );
});
