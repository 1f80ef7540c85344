import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { callMain } from '../support/command.ts';
import { sampleReport, sampleRun } from '../support/sample-report.ts';
import { chatOf, createFolder, fixture, writeFile } from '../support/session-files.ts';

/** Command lines that are refused, by command, and what each of them says: `npx vitest -u` writes it anew. */
const GOLDEN = join(import.meta.dirname, '../fixtures/refusals');
const WORDS = /'[^']*'|[^ ]+/g;
const folder = createFolder();
writeFile(folder, 'chat.json', chatOf(3));
writeFile(folder, 'none.json', '{"name": 1}');
writeFile(folder, 'other.md', '# no rows\n');
writeFile(folder, 'pi.jsonl', fixture('pi.jsonl'));
writeFile(folder, 'named.yaml', sampleText({ session: '{ file: a.json }' }));
writeFile(folder, 'good.yaml', sampleText());
writeFile(folder, 'unknown.yaml', sampleText({ model: 'local/unknown' }));
writeFile(folder, 'unreadable.yaml', sampleText({ policy: 'opencode' }));
const gates = [
  'gates: [{ type: most, metric: steps }]',
  'gates: [{ type: exact, metric: step }]',
  'gates:\n  - { type: exact, metric: steps }\n  - { type: exact, metric: step }\n',
  'cases:\n  one:\n    - type: noninferior\n      metric: steps\n      margin: 1\n',
  'gates: [{ type: max, metric: steps }]',
  'gate: []',
  'events: ignored',
];
for (const [index, text] of gates.entries()) writeFile(folder, `gates/${index}.yaml`, text);
writeFile(
  folder,
  'gates/most.json',
  '{ "gates": [{ "type": "max", "metric": "steps", "limit": 9 }] }',
);
const opencode = [
  '[]',
  '{"compaction": {"resreved": 1}}',
  '{"compation": {"auto": false}}',
  '{"Compaction": {}}',
  '{"compaction": {"__proto__": 1}}',
  '{"compaction": {"auto": "yes"}}',
  '{"compaction": {"reserved": -5}}',
  '{"agent": {"compaction": {"model": 1}}}',
];
for (const [index, text] of opencode.entries()) writeFile(folder, `opencode/${index}.json`, text);
writeFile(folder, 'configs/vain.ts', "import './absent.ts';\n");
writeFile(folder, 'configs/folder.yaml/in-it.txt', '');
writeFile(folder, 'reports/scenarios.json', '{"scenarios": 3}');
writeFile(folder, 'reports/number.json', '3');
writeFile(folder, 'reports/none.json', 'passed');
writeFile(folder, 'two.json', `[{"traj":${chatOf(2)}},{"traj":${chatOf(3)}}]`);
const line = JSON.stringify(sampleRun());
writeFile(folder, 'compare/before.json', JSON.stringify(sampleReport()));
writeFile(folder, 'compare/after.jsonl', `${line}\n`);
writeFile(folder, 'compare/document.json', '{\n"cells": []\n}');
writeFile(folder, 'compare/garbled.jsonl', '{"session": "x"\n');
writeFile(
  folder,
  'compare/mixed.jsonl',
  `${line}\n${line.replace('{', '{"mode":"closed-loop",')}\n`,
);
const wrong = JSON.stringify({ ...sampleRun(), metrics: { a: 'b' } });
writeFile(folder, 'compare/wrong.jsonl', `${wrong}\n`);
const saved = {
  text: 'Results:\n',
  nothing: ' \n',
  'half-a-document': '{"a":',
  'a-list': '[]',
  'a-word': '"a"',
  'another-document': '{"a":1}',
  'other-lines': '{"a":1}\n{"b":2}\n',
  'later-report': '{"schemaVersion":99,"provenance":{},"runs":[]}',
  'broken-report': '{"schemaVersion":1,"provenance":{},"runs":[]}',
  'broken-comparison': '{"comparisonVersion":3,"a":1}',
  'later-tuning': '{"tuneVersion":99}',
  'broken-what-if': '{"whatIfVersion":3,"session":"a","policy":"none"}',
  'later-what-if': '{"whatIfVersion":99}',
};
for (const [name, text] of Object.entries(saved)) writeFile(folder, `saved/${name}`, text);
mkdirSync(join(folder, 'empty'));
mkdirSync(join(folder, 'ringed'));
symlinkSync('ring', join(folder, 'ringed/ring'));

it.each(readdirSync(GOLDEN))('what is refused is told in a sentence: %s', async (name) => {
  const path = join(GOLDEN, name);
  const lines = readFileSync(path, 'utf8').match(/(?<=^\$ ).*/gm) ?? [];
  const before = readdirSync(folder);
  const told: string[] = [];
  for (const line of lines) {
    const words = line.match(WORDS) ?? [];
    const argv = words.map((word) => word.replaceAll("'", '').replaceAll('HERE', folder));
    const { code, stdout, stderr } = await callMain(argv, { env: { CI: '1' } });
    expect([line, code, stdout]).toEqual([line, EXIT.wrongUse, '']);
    told.push(`$ ${line}\n${stderr.replaceAll(folder, 'HERE')}`);
  }
  expect(readdirSync(folder)).toEqual(before);
  await expect(told.join('\n')).toMatchFileSnapshot(path);
});

it.each([
  'run HERE/chat.json',
  'check HERE/good.yaml',
  'compare none opencode-1.18 HERE/chat.json',
  'whatif HERE/chat.json --window 16k,32k',
  'tune HERE/chat.json --vary reserved=1k,2k',
  'sessions validate HERE/chat.json',
])('what is interrupted leaves nothing: %s', async (line) => {
  const argv = line.replaceAll('HERE', folder).split(' ');
  const out = ['--out', join(folder, 'interrupted/report.json')];
  const ended = await callMain([...argv, ...out], { signal: AbortSignal.abort() });
  expect(ended).toEqual({ code: EXIT.interrupted, stdout: '', stderr: 'Interrupted.\n' });
  expect(existsSync(join(folder, 'interrupted'))).toBe(false);
});
