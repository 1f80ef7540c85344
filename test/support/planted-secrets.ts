import { groupBy } from '../../src/simulator/lib/collections.ts';
import { isObject, parseJson } from '../../src/simulator/lib/json.ts';
import { readSessions } from '../../src/simulator/session/load.ts';

/** Kinds of secrets; `%` is a word of its own. */
const KINDS = [
  '/home/%/app/main.ts',
  '/Users/%/notes.md',
  '/srv/%',
  'C:\\Users\\%\\main.cs',
  '\\\\files\\%\\plan.docx',
  '~/%/.netrc',
  './%/key.pem',
  'src/%/index.ts',
  '%.tsx',
  'file:///opt/%/a',
  'https://%.example.org/x?q=1',
  'http://10.1.2.3:8080/%',
  'https://user:%@example.org/',
  'wss://%.internal/socket',
  'ssh://git@%.internal/repo.git',
  'git@github.com:%/repo.git',
  's3://%-bucket/key',
  'postgres://app:%@db/main',
  'redis://:%@cache:6379',
  'mongodb+srv://%.example.net/',
  '%.corp.internal',
  'gateway.%.internal:8443',
  '%-laptop.local',
  'db01.%.lan',
  'host %',
  '10.0.0.7/%',
  'fe80::1%%',
  'ada@%.example.org',
  '%@example.org',
  'Ada Lovelace <%@example.org>',
  '@%',
  'feature/%',
  'refs/heads/%',
  'origin/%-fix',
  '%',
  'user %',
  'Project % is late',
  'Der Kunde heißt %.',
  '顧客は%です',
  '"%"',
  "'%'",
  '`%`',
  '<b>%</b>',
  '# %',
  '{"name":"%"}',
  'name=%',
  'PASSWORD=%',
  'export TOKEN=%',
  'AWS_SECRET_ACCESS_KEY=%/x',
  'x-api-key: %',
  'Authorization: Bearer %',
  'Cookie: sid=%',
  'sk-ant-api03-%',
  'sk-proj-%',
  'AKIA%ABCDEF',
  'ghp_%0123456789abcdef',
  'glpat-%0123456789',
  'xoxb-1234-%',
  'AIzaSy%',
  'npm_%',
  'hf_%',
  'SK%0123456789abcdef0123',
  'AC%0123456789abcdef0123',
  'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=%==',
  'Endpoint=sb://%.servicebus.windows.net/;SharedAccessKey=x',
  'https://acme.blob.core.windows.net/c?sv=2024&sig=%%3D',
  'aB38Q~%',
  'eyJhbGciOiJIUzI1NiJ9.%.x',
  '-----BEGIN PRIVATE KEY-----\n%',
  'mcp__%__deploy',
  'TypeError: % is not a function\n    at %.js:3:1',
  'Error: connect ECONNREFUSED %:443',
  '4111-1111-1111-%',
];
/** What a model is called behind a gateway. */
const MODEL = 'gateway.%.internal/claude-x';
const MOST_TRIED = 40;
/** Fields of a session whose values are this program's own. */
const WORDS = ['type', 'role', 'status', 'kind', 'trigger', 'format'];

/** A source of secrets, none of which is given twice. */
export function createSecrets() {
  let count = 0;
  return {
    next: (key: string) => {
      const word = `beef${String(count++).padStart(4, '0')}cafe`;
      const kind = /model/i.test(key) ? MODEL : (KINDS[count % KINDS.length] ?? '%');
      return { word, text: kind.replaceAll('%', word) };
    },
  };
}

/** The recording with another value in each field of texts where it is still read alike, and with a record of an unknown type. */
export function plantSecrets(text: string, next: ReturnType<typeof createSecrets>['next']): string {
  const isLines = parseJson(text) === undefined;
  const original = isLines ? text.trim().split('\n').map(parseJson) : parseJson(text);
  const shape = shapeOf(text);
  const planted = new Map<string, string>();
  const render = () => {
    const value = replaced(original, '', planted);
    if (!isLines) return JSON.stringify(value);
    return (value as readonly unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('');
  };
  const plant = (key: string, places: readonly string[]) => {
    for (const place of places) planted.set(place, next(key).text);
    if (shapeOf(render()) === shape) return true;
    for (const place of places) planted.delete(place);
    return false;
  };
  const places = new Set<string>();
  visit(original, '', (place) => void places.add(place));
  for (const [key, own] of groupBy([...places], (place) => place.split('\n', 1)[0] ?? '')) {
    if (plant(key, own) || own.length > MOST_TRIED) continue;
    for (const place of own) plant(key, [place]);
  }
  const { text: type } = next('type');
  return `${render()}${isLines ? JSON.stringify({ type, kind: type }) : ''}`;
}

/** All but the words: numbers, flags and the order of things. */
function shapeOf(text: string) {
  try {
    const of = readSessions('x', text).map(({ report, ...session }) => [
      session,
      Object.values(report.dropped),
    ]);
    return JSON.stringify(of, (key, value: unknown) =>
      typeof value === 'string' && !WORDS.includes(key)
        ? ''
        : value instanceof Map
          ? [...value]
          : value,
    );
  } catch {
    return 'unread';
  }
}

/** Texts with their keys, those of JSON in texts too. */
function visit(value: unknown, key: string, use: (place: string) => void): void {
  const inner = insideOf(value);
  if (inner !== undefined) visit(inner, key, use);
  else if (typeof value === 'string') use(`${key}\n${value}`);
  else if (Array.isArray(value)) for (const item of value) visit(item, key, use);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) visit(item, name, use);
}

function replaced(value: unknown, key: string, planted: ReadonlyMap<string, string>): unknown {
  const inner = insideOf(value);
  if (inner !== undefined) return JSON.stringify(replaced(inner, key, planted));
  if (typeof value === 'string') return planted.get(`${key}\n${value}`) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, key, planted));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, item]) => [name, replaced(item, name, planted)]));
}

function insideOf(value: unknown): unknown {
  return typeof value === 'string' && /^[[{]/.test(value) ? parseJson(value) : undefined;
}
