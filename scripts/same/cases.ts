/** Command lines that run one after the other. `OUT` is the case's own folder; a line may end with `< FILE`. */
export type Case = readonly string[];

/** Files that the cases read besides what the revision ships and `shared`, by path. */
export const FILES: Readonly<Record<string, string>> = {
  'given/broken.json': '{"messages": [',
  'given/empty.jsonl': '',
  'given/other.json': '{"hello": "world"}\n',
  'given/broken.yaml': 'name: [a\n',
  'given/misspelt.yaml': 'name: misspelt\nsesion: {}\n',
  'given/opencode.json': '{"compaction": {"auto": true, "prune": true, "reserved": 30000}}\n',
  'given/prompt.md': 'Summarise the conversation in ten lines, and name every file.\n',
  'given/context.md': 'The user wants short answers.\n',
  'given/limits.json':
    '[{"context": 8192, "input": null, "output": 4096, "toolCall": true, "models": 9}, {"context": 200000, "input": null, "output": 64000, "toolCall": true, "models": 2}]\n',
  'given/gates.yaml':
    'baseline: baseline\ngates:\n  - { type: ratio, metric: inputTokens, limit: 1.05 }\n  - { type: noninferior, metric: misses, margin: 2 }\ncases:\n  "*":\n    - { type: max, metric: refusals, limit: 0 }\n',
  'given/adapter.mjs': `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { messages } = JSON.parse(line);
  const kept = messages.length - 20;
  const clear = (one) => (one.type === 'tool-result' ? { ...one, output: '[cleared]' } : one);
  const cleared = messages.map((message, index) =>
    message.role !== 'tool' || index >= kept
      ? message
      : { ...message, content: message.content.map(clear) },
  );
  console.log(JSON.stringify({ messages: cleared }));
}
`,
};

const COMMANDS =
  'run explain whatif doctor sweep tune compare worker merge export check minimize summarizers import generate stats validate report serve list complete'.split(
    ' ',
  );
const LISTED =
  'policies models summarizers formats dialects caches refusals checks metrics settings workloads session-formats laws gates'.split(
    ' ',
  );
const POLICIES =
  'none,clairvoyant,random,largest-first,least-recently-used,opencode-0.8,opencode-1.0.224,opencode-1.1.23,opencode-1.1.57,opencode-1.2.16,opencode-1.14.19,opencode-1.14.21,opencode-1.14.40,opencode-1.15,opencode-1.16,opencode-1.18,opencode-2.0,dcp,document-000,document-001,document-002,document-003,document-004,rolling-window,selective-pruning,external-memory,claude-code,qwen-code,gemini-cli,codex-local,pi,kimi-cli,crush,goose,anthropic-compact,last-n-observations';
const PAGES = ['table', 'json', 'markdown', 'html'];
const ALL_FORMATS = [...PAGES, 'csv'];
const CHECK_FORMATS = [...ALL_FORMATS, 'junit', 'annotations'];
const DATA = ['table', 'json'];
const TEXTS = ['text', 'json'];

const ONE = 'scenarios/recorded/table-widths.json';
const OTHER = 'scenarios/recorded/csv-format.json';
const SMALL = '--set contextTokens=60000 --set outputTokens=8000';
const SHARED = 'shared/sessions';
const CLAUDE = `${SHARED}/claude-code/entire-cd95-3compactions-v2.1.7.jsonl`;
const CODEX = `${SHARED}/codex`;
const FEW = `${CODEX} ${SHARED}/pi ${SHARED}/gemini-cli ${SHARED}/swe-agent`;

/** Cases on what the package ships. */
const SHIPPED: readonly (string | Case)[] = [
  '',
  '--version',
  '--help',
  'help',
  'help run',
  'help nothing',
  ...COMMANDS.map((command) => `${command} --help`),
  ...LISTED.flatMap((kind) => inEach(DATA, `list ${kind}`)),
  'list models sonnet',
  'list settings context',
  ...['bash', 'zsh', 'fish', 'powershell'].map((shell) => `complete ${shell}`),
  'complete -- run --pol',
  'complete -- run --policy open',
  'complete -- run --set ',

  // The long ones first, as two run at a time.
  written(CHECK_FORMATS, 'check --baseline baseline --format json', 'check'),
  written(ALL_FORMATS, `run scenarios/recorded --policy ${POLICIES} ${SMALL} --format json`, 'run'),
  written(
    ALL_FORMATS,
    'summarizers --repeat 2 --reader scripted:echo --format json',
    'summarizers',
  ),
  ...inEach(CHECK_FORMATS, 'check scenarios --only cache --baseline baseline'),
  'check --only floor --chart',
  'check scenarios/usage-spike.yaml scenarios/lost-rule.yaml --repeat 2',
  'check scenarios --only tail --config given/gates.yaml',
  "check scenarios --only usage --adapter 'node given/adapter.mjs' --format json",
  "check scenarios --only usage --adapter 'node given/adapter.mjs'",
  "check scenarios --only window --baseline OUT/new --bless --reason 'a first one'",
  [
    'check scenarios --only prompt --shard 1/2 --out OUT/check-1.json',
    'check scenarios --only prompt --shard 2/2 --out OUT/check-2.json',
    ...inEach(CHECK_FORMATS, 'check merge OUT/check-1.json OUT/check-2.json'),
    'check merge OUT/check-1.json',
    'check scenarios --only-failed OUT/check-1.json',
  ],
  ...inEach(ALL_FORMATS, `run ${ONE} --policy none,opencode-1.2.16,document-002 ${SMALL}`),
  ...ALL_FORMATS.map((format) => `run ${ONE} ${SMALL} --out OUT/report.${extension(format)}`),
  `run ${ONE} ${SMALL} --chart`,
  `run scenarios/recorded --policy opencode-1.18,claude-code ${SMALL} --closed-loop --seed 7 --format json`,
  `run ${ONE} --config given/opencode.json --model openai/gpt-5-codex --format markdown`,
  `run ${ONE} --summarizer scripted:lossy --set contextTokens=40000 --set dialect=spikes --format csv`,
  `run ${ONE} --summarizer ai:openai/gpt-5-mini --dry-run ${SMALL}`,
  `run ${ONE} --summarizer cassette:cassettes/loopback ${SMALL}`,
  [
    `run scenarios/recorded ${SMALL} --events OUT/run.jsonl --with-text ${ONE}`,
    ...inEach(ALL_FORMATS, 'report OUT/run.jsonl'),
    `report OUT/run.jsonl --with-text ${ONE} --out OUT/text.html`,
  ],
  ...inEach(PAGES, 'report fixtures/events/version-2.jsonl'),
  ...inEach(TEXTS, `explain ${ONE} ${SMALL}`),
  ...inEach(TEXTS, `explain ${ONE} ${SMALL} --step 20`),
  `explain ${OTHER} --policy document-003 --step 4 --set contextTokens=60000`,
  ...inEach(PAGES, `whatif ${OTHER} --window 16k,32k,64k`),
  ...inEach(DATA, `whatif ${ONE} --curve`),
  `whatif ${ONE} --model openai/gpt-5.2,anthropic/claude-sonnet-4-5 --out OUT/models.html`,
  written(PAGES, `whatif ${ONE} --window 32k,64k --format json`, 'whatif'),
  ...inEach(TEXTS, 'doctor --policy opencode-1.2.16 --model openai/gpt-5-codex'),
  ...inEach(TEXTS, 'doctor --policy opencode-1.18 --config given/opencode.json'),
  'doctor --set reserved=30000 --set protect=90000',
  ...inEach(TEXTS, 'doctor --limits given/limits.json'),
  ...inEach(ALL_FORMATS, `sweep ${ONE} --vary protect=20k,40k --jobs 1`),
  [
    `sweep scenarios/recorded --vary protect=20k,40k --vary policy=opencode-1.2.16,document-002 ${SMALL} --trials 2 --jobs 2 --out OUT/rows`,
    ...inEach(ALL_FORMATS, 'report OUT/rows'),
    `report OUT/rows --timeline ${ONE} --out OUT/timeline.html`,
    ...['parquet', 'csv', 'jsonl'].map(
      (format) => `sweep export OUT/rows --out OUT/rows.${format}`,
    ),
    'sweep export OUT/rows/results.jsonl --format csv',
    'compare OUT/rows OUT/rows',
  ],
  [
    'sweep scenarios/recorded --vary protect=20k,40k --jobs 1 --shard 1/2 --out OUT/1',
    'sweep scenarios/recorded --vary protect=20k,40k --jobs 1 --shard 2/2 --out OUT/2',
    'sweep merge OUT/1 OUT/2 --out OUT/both',
    ...inEach(ALL_FORMATS, 'sweep merge OUT/1 OUT/2'),
    'sweep merge OUT/1',
  ],
  ...inEach(PAGES, `compare opencode-1.2.16 document-002 scenarios/recorded ${SMALL}`),
  [
    `run scenarios/recorded --policy opencode-1.2.16 ${SMALL} --format json --out OUT/a.json`,
    `run scenarios/recorded --policy opencode-1.18 ${SMALL} --format json --out OUT/b.json`,
    'compare OUT/a.json OUT/b.json --format json --out OUT/c.json',
    ...inEach(PAGES, 'report OUT/c.json'),
  ],
  ...inEach(
    PAGES,
    `tune scenarios/recorded --seed 3 --jobs 1 --vary protect=20k,40k --vary reserved=10k,20k ${SMALL}`,
  ),
  written(PAGES, 'tune scenarios/recorded --jobs 1 --objective cost,misses --format json', 'tune'),
  `tune scenarios/recorded --jobs 1 --vary protect=20k,40k --within compactions=..2 --hold-out 0.5 ${SMALL}`,
  ...inEach(ALL_FORMATS, 'summarizers --summarizers extractive,tail --pivots 1'),
  'summarizers --summarizers extractive --prompts policy,given/prompt.md --context given/context.md --rows OUT/rows.jsonl',
  'summarizers --summarizers extractive,ai:openai/gpt-5-mini --dry-run',
  ...inEach(DATA, 'sessions import --explain --out OUT/sessions fixtures/sessions'),
  'sessions import --redact --salt pepper --out OUT/sessions fixtures/sessions scenarios/recorded',
  'sessions import fixtures/sessions/openai-chat.json --from openai-chat --out OUT',
  ...['claude-code', 'codex', 'opencode', 'pi', 'tracelab'].map(
    (workload) => `sessions generate ${workload} --sessions 2 --seed 5`,
  ),
  'sessions generate --fit scenarios/recorded --sessions 3 --out OUT/sessions',
  'sessions generate codex --sessions 3 --report OUT/report.json --out OUT/sessions',
  ...['tool', 'format', 'session'].flatMap((by) =>
    inEach(DATA, `sessions stats --by ${by} fixtures/sessions scenarios/recorded`),
  ),
  'sessions stats --details --tokens o200k_base',
  'sessions stats - < fixtures/sessions/canonical.jsonl',
  ...inEach(DATA, 'sessions validate fixtures/sessions scenarios/recorded'),
  `check minimize ${ONE} --policy opencode-1.2.16 --expect 'compactions > 1' --set contextTokens=40000 --out OUT/minimal.yaml`,
  `check minimize ${ONE} --policy opencode-1.2.16 --expect 'compactions > 90'`,

  // Wrong use.
  'rum',
  'run missing.json',
  'run --polcy none',
  'run --policy opencode-1.2.61',
  'run --model anthropic/claude-sonet-4-5',
  'run --set protct=3',
  'run --set protect=many',
  'run --format yaml',
  'run --summarizer extractiv',
  'run --seed x',
  'run given/broken.json',
  `run given/empty.jsonl given/other.json ${ONE}`,
  'run --catalog given/other.json',
  'run --config given/broken.json',
  'explain',
  `explain ${ONE} --step 100000`,
  `whatif ${ONE} --window none`,
  'doctor --limits given/other.json',
  'doctor --floor little',
  'sweep --vary protect',
  `sweep ${ONE} --vary protct=1,2`,
  'sweep --shard 3/2',
  'tune --objective speed',
  'compare opencode-1.2.16 opencode-1.2.61',
  'compare given/other.json given/broken.json',
  'sweep worker',
  'sweep merge missing',
  'sweep export given/other.json --format csv',
  'check missing.yaml',
  'check given/broken.yaml given/misspelt.yaml',
  'check --only nothing-is-called-so',
  'check scenarios --only floor --baseline given',
  'check --bless',
  'check minimize given/broken.json --policy none',
  `check minimize ${ONE} --policy none --violates no-such-law`,
  `check minimize ${ONE} --policy none --expect 'compactions >> 3'`,
  'summarizers --compact-at 7',
  'sessions import given --out OUT/sessions',
  'sessions import fixtures/sessions --from no-such-format --out OUT/sessions',
  'sessions generate no-such-agent',
  'sessions stats given',
  'sessions stats --by size',
  'sessions validate given/broken.json',
  'report given/other.json',
  'report given/broken.json --format html',
  'report serve missing.jsonl',
  'report serve given/other.json --port many',
  'list nothing',
  'complete tcsh',
];

/** Cases on recorded sessions that the project does not ship. */
const NOT_SHIPPED: readonly (string | Case)[] = [
  written(ALL_FORMATS, `run ${SHARED} --format json`, 'shared'),
  `run ${CLAUDE} ${FEW} --policy ${POLICIES} ${SMALL} --format json`,
  `run ${FEW} ${SMALL} --closed-loop --format csv`,
  ...inEach(PAGES, `run ${CODEX} --policy none,opencode-1.2.16 ${SMALL}`),
  `run ${CLAUDE} ${SMALL} --events OUT/events.jsonl --chart`,
  `explain ${CLAUDE} ${SMALL}`,
  `whatif ${CLAUDE} --window 32k,64k --format html`,
  `whatif ${CLAUDE} --curve --format json`,
  `sweep ${FEW} --vary protect=20k,40k --vary reserved=10k,30k ${SMALL} --jobs 1 --format json`,
  `compare opencode-1.2.16 claude-code ${FEW} ${SMALL} --format json`,
  `tune ${FEW} --vary protect=20k,40k ${SMALL} --jobs 1 --format json`,
  `summarizers ${FEW} --summarizers extractive,tail --set contextTokens=40000 --format json`,
  `sessions import ${SHARED} shared/inputs --explain --redact --salt pepper --out OUT/sessions --format json`,
  `sessions import ${SHARED} shared/inputs --explain --out OUT/sessions`,
  `sessions generate --fit ${FEW} --sessions 3 --report OUT/report.json --out OUT/sessions`,
  ...inEach(DATA, `sessions stats ${SHARED} shared/inputs --by session`),
  ...inEach(DATA, `sessions validate ${SHARED} shared/inputs`),
  ...inEach(DATA, 'check shared/inputs/scenarios'),
];

/** All cases, those on sessions outside of the project only where there are some. */
export function allCases({ isShared }: { readonly isShared: boolean }): readonly Case[] {
  const cases = [...(isShared ? NOT_SHIPPED : []), ...SHIPPED];
  return cases.map((one) => (typeof one === 'string' ? [one] : one));
}

function inEach(formats: readonly string[], line: string): readonly string[] {
  return formats.map((format) => `${line} --format ${format}`);
}

/** Has a command write JSON, and `report` show it in other formats. */
function written(formats: readonly string[], line: string, name: string): Case {
  const file = `OUT/${name}.json`;
  return [`${line} --out ${file}`, ...inEach(formats, `report ${file}`)];
}

function extension(format: string): string {
  return { table: 'txt', markdown: 'md' }[format] ?? format;
}
