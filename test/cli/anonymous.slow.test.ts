import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callMain } from '../support/command.ts';
import { createSecrets, plantSecrets } from '../support/planted-secrets.ts';
import { createFolder, fixture, recording, writeFile } from '../support/session-files.ts';

/** Formats that differ most. */
const FORMATS =
  'claude-code codex gemini-cli opencode-export cline pi openai-chat otel-spans canonical'.split(
    ' ',
  );
const PAGES = 'table json markdown html'.split(' ');
const ALL = [...PAGES, 'csv'];
const RUNS = [...ALL, 'svg', 'otel'];
const WINDOW = '--set contextTokens=64000 --set outputTokens=8000';
const VARY = '--vary protect=20k,40k';
const ONE = 'IN/opencode-export.json';
/** What holds secrets, as a report that is not anonymous does. */
const PRIVATE = 'private';
const FOUND = /.{0,60}beef\d{4}cafe.{0,30}/is;

const inEach = (formats: readonly string[], line: string) =>
  formats.map((format) => `${line} --format ${format}`);
const BEFORE = [
  `run IN ${WINDOW} --events OUT/private.jsonl --format json --out OUT/private.json`,
  `sweep ${ONE} ${WINDOW} ${VARY} --out OUT/private-rows`,
  `summarizers ${ONE} --summarizers tail --pivots 1 ${WINDOW} --out OUT/private-tail.json`,
  'check OUT/private/scenario.yaml --out OUT/private-check.json',
];
const COMMANDS = [
  ...inEach(RUNS, `run IN ${WINDOW}`),
  `run ${ONE} ${WINDOW} --chart`,
  `run IN ${WINDOW} --closed-loop --events OUT/run.jsonl`,
  ...inEach(PAGES, `run ${ONE} --config OUT/private-setup.json`),
  ...inEach(PAGES, `run ${ONE} --adapter node~OUT/private.mjs ${WINDOW}`),
  ...inEach(PAGES, `compare opencode-1.2.16 document-002 IN ${WINDOW}`),
  ...inEach(PAGES, 'compare OUT/private.json OUT/private.json'),
  ...inEach(PAGES, `whatif ${ONE} --window 32k,64k`),
  ...inEach(ALL, `sweep IN ${VARY} ${WINDOW}`),
  ...inEach(PAGES, `tune ${ONE} --config OUT/private-setup.json`),
  ...inEach(RUNS, 'report OUT/private.jsonl'),
  ...inEach(ALL, 'report OUT/private.json'),
  ...inEach(ALL, 'report OUT/private-rows'),
  ...inEach(ALL, 'report OUT/private-tail.json'),
  ...inEach([...ALL, 'junit', 'annotations'], 'report OUT/private-check.json'),
];

const env = { COMPACTION_BENCH_CACHE: createFolder() };
const { next } = createSecrets();
const places: Readonly<Record<string, string>> = {
  OUT: createFolder(),
  IN: join(createFolder(), next('').text.replaceAll('/', '')),
};
const { OUT = '', IN = '' } = places;
const call = (line: string) =>
  callMain(
    line
      .split(' ')
      .map((word) => word.replace(/\b(?:IN|OUT)(?=\/|$)/, (place) => places[place] ?? place))
      .map((word) => word.replace('~', ' ')),
    { env },
  );

beforeAll(() => {
  for (const format of FORMATS)
    writeFile(IN, `${format}.json`, plantSecrets(sampleOf(format), next));
  const secret = (key = '') => next(key).text;
  writeFile(IN, 'broken.json', `{"messages": [${secret()}`);
  writeFile(IN, 'other.json', JSON.stringify({ [secret()]: secret() }));
  const setup = {
    model: `${secret()}/${secret('model')}`,
    agent: { compaction: { prompt: secret(), model: `acme/${secret('model')}` } },
    provider: { acme: { models: { [secret()]: { limit: { context: 64_000, output: 8_000 } } } } },
  };
  writeFile(OUT, 'private-setup.json', JSON.stringify(setup));
  const [told, answered] = [secret(), secret()].map((text) => JSON.stringify(text));
  writeFile(
    OUT,
    'private.mjs',
    `console.error(${told}); console.log(${answered}); process.exit(3);`,
  );
  const scenario = {
    why: secret(),
    session: { script: [{ user: secret() }, { step: 60 }] },
    model: { id: `acme/${secret('model')}`, contextTokens: 64_000 },
    policy: 'opencode-1.18',
    summarizer: 'scripted:usual',
    expect: { metrics: { compactions: '>= 1' }, misses: secret() },
  };
  writeFile(join(OUT, PRIVATE), 'scenario.yaml', JSON.stringify(scenario));
});

describe('what is planted in every field of nine formats', () => {
  it.each(BEFORE)('is read by %s', async (line) => {
    expect((await call(line)).code).toBeLessThan(2);
  });

  it.each(COMMANDS)('is not shown by %s', async (line) => {
    const { stdout } = await call(`${line} --anonymous${line.includes('svg') ? '' : ' --details'}`);
    expect(stdout).not.toMatch(FOUND);
    expect(stdout).not.toBe('');
  });

  it('is gone from redacted sessions', async () => {
    const { code } = await call('sessions import IN --redact --salt pepper --out OUT/redacted');
    expect(code).toBeLessThan(2);
  });

  it('is in no file that was written, and in none of the cache', () => {
    const files = [...filesIn(OUT), ...filesIn(env.COMPACTION_BENCH_CACHE)];
    const written = files.filter((file) => !file.includes(`/${PRIVATE}`));
    expect(written.length).toBeGreaterThan(FORMATS.length);
    for (const file of written) expect(readFileSync(file, 'latin1')).not.toMatch(FOUND);
  });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** A shipped session of real length, or the sample of the format's own examples. */
function sampleOf(format: string): string {
  if (format === 'canonical') return fixture('canonical.jsonl');
  const own = join(import.meta.dirname, `../fixtures/formats/${format}.json`);
  const shipped = join(import.meta.dirname, '../../scenarios/recorded/csv-format.json');
  if (format === 'opencode-export') return readFileSync(shipped, 'utf8');
  const [{ file, lines, document } = {}] = JSON.parse(readFileSync(own, 'utf8')) as {
    readonly file?: string;
    readonly document?: unknown;
    readonly lines?: readonly unknown[];
  }[];
  if (file !== undefined) return recording(file);
  return lines?.map((line) => `${JSON.stringify(line)}\n`).join('') ?? JSON.stringify(document);
}
