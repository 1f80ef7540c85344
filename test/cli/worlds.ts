import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { writeSession } from '../../src/simulator/session/formats/canonical-lines.ts';
import { loadSessions } from '../../src/simulator/session/load.ts';
import {
  call,
  type Line,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../simulator/session/formats/claude-code-lines.ts';
import { growingTranscript } from '../support/growing-sessions.ts';
import { growingRows, writeOpencodeDatabase } from '../support/opencode-database.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../support/sample-report.ts';
import { chatOf, fixture, reportedSession, writeFile } from '../support/session-files.ts';

/** Runs a command line in the folder of a world. */
type Perform = (line: string) => Promise<unknown>;

const COMPACTED = {
  session:
    '{ overhead: 2k, script: [user: 50, { repeat: 9, of: [step: { text: 50, tools: [read 2k] }] }] }',
  model: '{ id: local/test, contextTokens: 20k, outputTokens: 4k }',
  summarizer: 'scripted:tokens=100',
} as const;
const SWEEP =
  'sweep sessions --set contextTokens=16k --set outputTokens=2k --vary reserved=1k,3k --jobs 1 --policy document-001 --out';
const SCENARIOS = join(import.meta.dirname, '../../scenarios');
const RECORDED = join(SCENARIOS, 'recorded');
const SHIPPED = [
  'kept-tail-above-trigger.yaml',
  'summary-service-down.yaml',
  'screenshots-over-byte-limit.yaml',
];
const FAILS = { expect: '{ metrics: { steps: 99 } }' };

/** The files that commands find, by world. */
export const worlds: Readonly<
  Record<string, (here: string, perform: Perform) => void | Promise<unknown>>
> = {
  answer: (here) => {
    const sessions: Readonly<Record<string, readonly [steps: number, names: readonly string[]]>> = {
      many: [13, Array.from({ length: 12 }, (_, index) => `app-${index}`)],
      one: [3, ['app']],
      late: [16, ['app']],
      priced: [3, ['app']],
      unpriced: [13, ['kettle']],
    };
    let starts = 0;
    // Each session has times of its own, or it would be taken for a copy of another.
    const nextStart = () => Date.UTC(2026, 0, 2, 3) + starts++ * 420_000;
    for (const [home, [steps, names]] of Object.entries(sessions))
      for (const name of names) {
        const text = growingTranscript({
          name,
          steps,
          startMs: nextStart(),
          growthTokens: 12_000,
          model: home === 'unpriced' ? 'claude-kettle-1' : 'claude-sonnet-4-5',
          version: '2.1.40',
          folder: `/work/${name}`,
          request: `Work on ${name}.`,
        });
        writeFile(here, `${home}/.claude/projects/-work-app/${name}.jsonl`, text);
      }
    // The secret beside it is never shown.
    const settings = '"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "78", "ANTHROPIC_API_KEY": "sk-secret"';
    writeFile(here, 'settings.json', `{ "env": { ${settings} } }`);
    const rows = (ids: readonly string[]) =>
      ids.flatMap((id) => growingRows({ id, startMs: nextStart() }));
    const databases = join(here, 'databases/.local/share');
    writeOpencodeDatabase(join(databases, 'opencode/opencode.db'), rows(['shop', 'blog']));
    writeOpencodeDatabase(join(databases, 'kilo/kilo.db'), rows(['farm', 'mill']));
    writeFile(here, 'broken/.codex/sessions', 'no folder');
  },
  check: (here) => {
    const also = '[{ name: second, expect: { metrics: { turns: 2 } } }, { name: third }]';
    const long = ['user: 10', ...Array.from({ length: 90 }, () => 'step: 20')].join(', ');
    const scenarios: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'all/good.yaml': {},
      'all/deeper/bad.yml': {
        expect: '{ metrics: { steps: "> 5", turns: 1 }, state: failed }',
      },
      'unreadable.yaml': { policy: 'opencode' },
      'unknown.yaml': { model: 'local/unknown' },
      'several.yaml': { also },
      'ringed/good.yaml': {},
      'scenario.txt': {},
      'long.yaml': { session: `{ script: [${long}] }` },
      'hostile\u001b.yaml': { name: '"a\\e[2J"', expect: '{ sees: "b\\e[2J" }' },
      'one/one.yaml': {},
      'again/good.yaml': {},
      'again/bad.yaml': FAILS,
      'torn/good.yaml': {},
      'torn/bad.yaml': { policy: 'opencode' },
    };
    for (const [name, keys] of Object.entries(scenarios)) writeFile(here, name, sampleText(keys));
    writeFile(here, 'all/.hidden.yaml', 'no scenario');
    writeFile(here, 'all/node_modules/a/other.yaml', 'no scenario');
    writeFile(here, 'all/session.json', '[]');
    writeFile(here, 'recorded/chat.json', chatOf(3));
    symlinkSync('ring', join(here, 'ringed/ring'));
  },
  diagnosis: (here) => {
    cpSync(join(import.meta.dirname, '../fixtures/diagnosis'), here, { recursive: true });
    for (const name of SHIPPED) cpSync(join(SCENARIOS, name), join(here, name));
  },
  doctor: (here) => {
    const own = '"reserved": 30000 }, "agent": { "compaction": { "model": "x/small" } }';
    writeFile(here, 'opencode.json', `{ "compaction": { ${own} }`);
    const some =
      '{ "context": 200000, "input": null, "output": 64000, "toolCall": true, "models": 5 }';
    const few =
      '{ "context": 32000, "input": null, "output": null, "toolCall": false, "models": 3 }';
    const none = '{ "context": 0, "input": null, "output": 0, "toolCall": false, "models": 2 }';
    writeFile(here, 'limits.json', `[${some}, ${few}, ${none}]`);
    const modelOf = (id: string, context: number) =>
      `"${id}": { "id": "${id}", "name": "", "limit": { "context": ${context}, "output": 8000 } }`;
    const models = `${modelOf('large', 200_000)}, ${modelOf('small', 50_000)}`;
    writeFile(here, 'catalog.json', `{ "x": { "id": "x", "name": "X", "models": { ${models} } } }`);
  },
  forks: (here) => {
    const beginning = [
      prompt('The kettle rings too late.'),
      step('m1', call('c1')),
      result('c1', 'late '.repeat(80)),
      step('m2', call('c2', 'Edit')),
      result('c2', 'changed'),
      step('m3', say('Found it.')),
    ];
    const again = [step('m4', call('c4')), result('c4', 'late '.repeat(80))];
    const sessions: Readonly<Record<string, readonly Line[]>> = {
      alone: [prompt('Is there any tea?'), step('t1', say('No.'))],
      fork: [...beginning, prompt('Leave it.'), step('m6', say('As you wish.'))],
      old: beginning,
      resumed: [...beginning, prompt('Mend it.'), ...again, step('m5', say('Done.'))],
    };
    for (const [name, lines] of Object.entries(sessions)) {
      const text = transcript(...lines).replaceAll('"kettle"', JSON.stringify(name));
      writeFile(here, `${name}.jsonl`, text);
    }
    const joined = [...loadSessions(['fork.jsonl', 'old.jsonl', 'resumed.jsonl'])].flatMap(
      (loaded) => (loaded.state === 'read' ? [...writeSession(loaded.session)] : []),
    );
    writeFile(here, 'joined.jsonl', joined.join(''));
    for (const [name, session] of Object.entries({ a: 'alone', c: 'old', f: 'fork', r: 'resumed' }))
      writeFile(
        here,
        `scenarios/${name}.yaml`,
        sampleText({ session: `{ file: ${join(here, session)}.jsonl }` }),
      );
    writeFile(here, 'scenarios/scripted.yaml', sampleText());
    const metric = 'metric: inputTokens';
    writeFile(here, 'drawn.yaml', `gates: [{ type: noninferior, ${metric}, margin: 1 }]`);
    writeFile(here, 'added.yaml', `gates: [{ type: max, ${metric}, limit: 1 }]`);
  },
  gate: (here, perform) => {
    writeFile(here, 'scenarios/one.yaml', sampleText(COMPACTED));
    writeFile(here, 'bad.yaml', sampleText(FAILS));
    const limit = '{ "type": "max", "metric": "compactions", "limit": 0 }';
    writeFile(here, 'most.json', `{ "gates": [${limit}] }`);
    const typed = "{ type: 'max', metric: 'compactions', limit }";
    writeFile(here, 'most.ts', `const limit: number = 0;\nexport default { gates: [${typed}] };\n`);
    const wrong = "{ type: 'exact', metric: 'step' }";
    writeFile(here, 'wrong.mjs', `export default { gates: [${wrong}] };\n`);
    writeFile(here, 'two.yaml', sampleText(COMPACTED));
    for (const name of ['a', 'b', 'c']) writeFile(here, `bad/${name}.yaml`, sampleText(FAILS));
    writeFile(here, 'live.yaml', sampleText({ ...COMPACTED, summarizer: '"ai:openai/gpt-4o"' }));
    return perform("check scenarios --baseline baseline --bless --reason 'it is new'");
  },
  import: (here) => {
    const said = transcript(prompt('Is the kettle on?'), step('s', say('No.')));
    writeFile(here, 'in/kettles/a.jsonl', said);
    const two = [chatOf(1, 2), chatOf(2, 2)].map((chat) => `{"traj":${chat}}`);
    writeFile(here, 'in/the-kettle.json', `[${two.join()}]`);
    const version = (number: number) =>
      `{"compaction-bench":"session","version":${number}}\n{"type":"message","role":"user"}\n`;
    writeFile(here, 'many.jsonl', version(1) + version(1) + version(2));
    writeFile(here, 'no.json', '{"kettle": true}');
    writeFile(here, 'bad.json', '7');
    writeFile(here, 'torn.jsonl', `${transcript(step('s', say('No.')))}{"torn`);
    writeFile(here, 'evil\u001b[31m.json', chatOf(1));
    const noted = transcript(prompt('On?'), step('s', say('No.')), { type: 'kettle-note' });
    writeFile(here, 'noted.jsonl', noted);
  },
  stats: (here) => {
    writeFile(here, 'pi.jsonl', fixture('pi.jsonl'));
    writeFile(here, 'claude.jsonl', fixture('claude-code.jsonl'));
    writeFile(here, 'canonical.jsonl', fixture('canonical.jsonl'));
    writeFile(here, 'torn.jsonl', `${fixture('canonical.jsonl')}{"type":"mess`);
    writeFile(here, 'gpt.jsonl', fixture('pi.jsonl').replaceAll(/"(claude-[^"]*)"/g, '"gpt-5"'));
    writeFile(here, 'chat.json', chatOf(3));
    writeFile(here, 'none.json', '{"name": 1}');
    writeFile(here, `${'project-'.repeat(8)}/chat.json`, chatOf(1));
    for (const name of ['a', 'b']) writeFile(here, `copies/${name}.jsonl`, fixture('pi.jsonl'));
    writeFile(here, 'ringed/pi.jsonl', fixture('pi.jsonl'));
    symlinkSync('ring', join(here, 'ringed/ring'));
    const call = { name: '\u001b[31mred', arguments: '{}' };
    const hostile = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: call }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'out' },
    ];
    writeFile(here, 'hostile.json', JSON.stringify(hostile));
  },
  list: (here) => {
    const api = { a: { models: { 'b\u001b[2J': { limit: { context: 0, output: 5 } } } } };
    writeFile(here, 'api.json', JSON.stringify(api));
  },
  merge: async (here, perform) => {
    const write = (index: number, keys: Readonly<Record<string, string>> = {}) =>
      writeFile(here, `scenarios/scenario-${index}.yaml`, sampleText(keys));
    // Two scenarios have 3 steps where the baseline has 2, which is too much of all and little of a part.
    const exact = '{ "scenario-2": [{ "type": "exact", "metric": "steps" }] }';
    const ratio = '[{ "type": "ratio", "metric": "steps", "limit": 1.1 }]';
    writeFile(here, 'bench.json', `{ "gates": ${ratio}, "cases": ${exact} }`);
    writeFile(here, 'limit.json', ratio.replace(/.*/, '{ "gates": $& }').replace('ratio', 'max'));
    for (const index of [1, 2, 3, 4, 5, 6, 7]) write(index);
    await perform('check scenarios --baseline baseline --bless --reason first');
    write(3, FAILS);
    write(5, { policy: 'opencode' });
    // A model that no other part meets.
    const session = '{ script: [user: 10, step: 20, step: 30, step: 30] }';
    write(8, { session, model: 'anthropic/claude-sonnet-4-5' });
    const check = 'check scenarios absent --baseline baseline --config bench.json --out';
    await perform(`${check} whole.json`);
    for (const shard of ['1/3', '2/3', '3/3', '2/2'])
      await perform(`${check} ${shard.replace('/', '-of-')}.json --shard ${shard}`);
    await perform(`${check} twice.json --shard 2/3 --repeat 2`);
  },
  sweeps: async (here, perform) => {
    for (const [index, words] of [200, 300, 400, 500].entries())
      writeFile(here, `sessions/chat-${index}.json`, chatOf(20, words));
    writeFile(here, 'reported.json', reportedSession());
    await perform(`${SWEEP} whole`);
    for (const index of [1, 2, 3]) await perform(`${SWEEP} ${'abc'[index - 1]} --shard ${index}/3`);
    await perform(`${SWEEP} other --trials 2 --shard 1/3`);
    for (let index = 1; index <= 12; index++) {
      await perform(`${SWEEP} many/${index} --shard ${index}/12`);
      const rows = join(here, `many/${index}/results.jsonl`);
      if (readFileSync(rows, 'utf8') === '') rmSync(rows);
    }
  },
  export: (here, perform) => {
    writeFile(here, '=cmd.json', chatOf(3));
    writeFile(here, 'other.md', '# no rows\n');
    const vary = '--vary reserved=1k,2k --vary prune=true,false --vary cache=none';
    const model = '--set inputTokens=60000 --model lab/unpriced --set contextTokens=64k';
    return perform(`sweep =cmd.json ${vary} ${model} --jobs 1 --out results`);
  },
  explain: (here) => {
    writeFile(here, 'chat.json', chatOf(6, 400));
    const rule = 'You must never touch the file legacy/core.ts while you work.';
    writeFile(here, 'rule.json', chatOf(12, 4_000).replace('Question 0', `${rule} Question 0`));
    for (const name of ['csv-format.json', 'repeated-setup.json'])
      cpSync(join(RECORDED, name), join(here, name));
  },
  score: (here) => {
    const facts = [
      { kind: 'number', subject: 'the upload limit', value: '52428800', polarity: 'do' },
      { kind: 'constraint', subject: 'the schema freeze', value: 'tbl_users_2', polarity: 'dont' },
      { kind: 'decision', subject: 'the log format', value: 'ndjson-2', polarity: 'do' },
    ].map((fact, index) => ({ ...fact, ...(index === 2 && { previous: 'plain-1' }) }));
    writeFile(here, 'facts.json', JSON.stringify(facts));
    const good =
      'Uploads: limit 52,428,800. Schema freeze: do not touch tbl_users_2. Logs use the format ndjson-2.';
    const bad = 'The upload limit is not 52428800. The schema freeze is over. Log format: plain-1.';
    writeFile(here, 'good.md', good);
    writeFile(here, 'bad.md', bad);
    writeFile(here, 'claude.jsonl', fixture('claude-code.jsonl'));
  },
  run: (here) => {
    writeFile(here, 'chat.json', chatOf(3));
    writeFile(here, 'none.json', '{"name": 1}');
    writeFile(here, 'long.json', chatOf(40, 400));
    writeFile(here, 'reported.json', reportedSession());
    cpSync(join(RECORDED, 'csv-format.json'), join(here, 'csv-format.json'));
    const compaction = '{"prune": true, "reserved": 9000, "tail_turns": 1}';
    const agent = '{"compaction": {"model": "a/b"}}';
    writeFile(here, 'opencode.json', `{"compaction": ${compaction}, "agent": ${agent}}`);
    writeFile(here, 'silent.json', '{ "theme": "dark" }');
  },
  validate: (here) => {
    writeFile(here, 'pi.jsonl', fixture('pi.jsonl'));
    writeFile(here, 'twin.jsonl', fixture('pi.jsonl'));
    writeFile(here, 'older.jsonl', fixture('pi.jsonl').split('\n', 6).join('\n'));
    writeFile(here, 'chat.json', chatOf(3));
    writeFile(here, 'none.json', '{"name": 1}');
    const cost = { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 };
    for (const id of ['claude-kettle-1', 'other'])
      writeFile(here, `${id}.json`, JSON.stringify({ anthropic: { models: { [id]: { cost } } } }));
    const recorder = { format: 'claude-code', release: [2, 1, 17], isOutputFinal: true };
    const stepOf = (cacheRead: number) => ({
      type: 'message',
      role: 'assistant',
      usage: { input: 0, output: 9, reasoning: 0, cacheRead, cacheWrite: 0 },
      parts: [{ type: 'text', text: `It holds ${cacheRead}.` }],
    });
    const compaction = { type: 'compaction', kind: 'full', trigger: 'auto', messageIndex: 5 };
    const recorded = [
      {
        'compaction-bench': 'session',
        version: 1,
        ...recorder,
        model: 'anthropic/claude-opus-4-5',
      },
      { type: 'message', role: 'user', parts: [{ type: 'text', text: 'Fill it up.' }] },
      ...[90_000, 154_000, 156_000, 157_000].map(stepOf),
      { ...compaction, tokensBefore: 157_010 },
      ...[30_000, 31_000].map(stepOf),
    ];
    writeFile(here, 'claude.jsonl', recorded.map((one) => `${JSON.stringify(one)}\n`).join(''));
  },
  adapter: (here) => {
    writeFile(here, 'chat.json', chatOf(6, 2_000));
    // Cuts a word off the first answer before every request, so that from the third of six steps on nothing behind it is cached.
    const nibble = `require('node:fs').appendFileSync('started.log', 'x');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { messages } = JSON.parse(line);
        const [content] = messages[1]?.content ?? [];
        if (content?.text && messages.length > 2) content.text = content.text.replace(/word $/, '');
        console.log(JSON.stringify({ messages }));
      });`;
    writeFile(here, 'nibble.cjs', nibble);
  },
  notes: (here) => {
    writeFile(here, 'chat.json', chatOf(3));
    writeFile(here, 'opencode.json', '{}');
    writeFile(here, 'model.json', '{"model": "openai/gpt-5.1"}');
    writeFile(here, 'unknown.json', '{"model": "acme/x"}');
    const models = '"models": { "x": { "limit": { "context": 60000, "output": 4000 } } }';
    const own = `"model": "acme/x", "provider": { "acme": { ${models} } }`;
    writeFile(here, 'own.json', `{ ${own} }`);
    writeFile(here, 'limits.json', '[{ "context": 200000, "input": null, "output": 8192 }]');
    const usage = { input_tokens: 9, output_tokens: 2 };
    const model = 'claude-opus-4-5-20251101';
    const recorded = transcript(
      prompt('On?'),
      step('s', say('No.'), { message: { model, usage } }),
    );
    writeFile(here, 'early.jsonl', recorded.replaceAll('2.1.40', '2.1.20'));
    const others = { late: model, other: 'claude-sonnet-4-5', unpriced: 'claude-of-tomorrow' };
    for (const [name, own] of Object.entries(others)) {
      const text = recorded.replaceAll('2.1.40', '2.1.170').replaceAll(model, own);
      writeFile(here, `${name}.jsonl`, text.replaceAll('"kettle"', JSON.stringify(name)));
    }
    writeFile(here, 'broken.jsonl', recorded.replace('\n', '\n{"type":"assist\n'));
  },
  out: (here, perform) => {
    writeFile(here, 'sessions/one.json', chatOf(6, 400));
    writeFile(here, 'one.json', chatOf(6, 400));
    writeFile(here, 'opencode.json', '{ "compaction": { "prune": true } }');
    writeFile(here, 'catalog.json', '{}');
    return perform('sweep sessions --vary protect=1k,2k --out swept');
  },
  whatif: (here) => {
    writeFile(here, 'chat.json', chatOf(6, 400));
    writeFile(here, 'reported.json', reportedSession());
    cpSync(join(RECORDED, 'csv-format.json'), join(here, 'csv-format.json'));
  },
  compare: (here) => {
    const runsAt = (costUsd: number, change: object = {}) =>
      ['x', 'y', 'z'].map((session, index) => ({
        ...sampleRun({ session, metrics: { ...sampleMetrics, costUsd: costUsd * (1 + index) } }),
        ...change,
      }));
    const rows = (name: string, all: readonly object[]) =>
      writeFile(here, name, all.map((row) => `${JSON.stringify(row)}\n`).join(''));
    writeFile(here, 'before.json', JSON.stringify(sampleReport({ runs: runsAt(2) })));
    rows('after.jsonl', runsAt(1));
    rows('other.jsonl', runsAt(1, { model: 'openai/gpt-5.2' }));
    rows('closed.jsonl', runsAt(1, { mode: 'closed-loop' }));
    const broken = sampleRun({ session: 'x', state: 'failed', reason: 'malformed request' });
    rows('some.jsonl', [broken, ...runsAt(1).slice(1)]);
    for (const sessionHash of ['h', 'i']) {
      const same = runsAt(1).map((run) => ({ ...run, sessionHash: run.session }));
      rows(`${sessionHash}.jsonl`, [...same, { ...sampleRun({ session: 'grown' }), sessionHash }]);
    }
    writeFile(here, 'chat.json', chatOf(3));
    cpSync(RECORDED, join(here, 'recorded'), { recursive: true });
  },
  report: async (here, perform) => {
    writeFile(here, 'chat.json', chatOf(24, 400));
    writeFile(here, 'other.json', chatOf(4));
    for (const turns of [4, 6, 8]) writeFile(here, `chats/${turns}.json`, chatOf(turns, 600));
    writeFile(here, 'one.yaml', sampleText(COMPACTED));
    const settings = '--set contextTokens=20000 --policy none,opencode-1.2.16';
    for (const name of ['chat', 'other'])
      await perform(`run ${name}.json ${settings} --events ${name}.jsonl --out ${name}-run.json`);
  },
  tune: (here) => {
    for (const turns of [4, 5, 6, 7, 8, 9])
      writeFile(here, `sessions/${turns}.json`, chatOf(turns, 1_000 + 100 * turns));
    writeFile(here, 'opencode.json', '{"compaction":{"reserved":15000}}');
    cpSync(RECORDED, join(here, 'recorded'), { recursive: true });
  },
};
