import { describe, expect, it } from 'vitest';
import {
  type FactState,
  factStates,
} from '../../../../src/simulator/metrics/quality/fact-states.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';

type Given = Partial<PlantedFact> & Pick<PlantedFact, 'subject' | 'value'>;

const quota: Given = { kind: 'number', subject: 'the storage quota', value: '48213907' };
const format: Given = { kind: 'decision', subject: 'the export format', value: 'columns-v7' };
const freeze: Given = {
  kind: 'constraint',
  polarity: 'dont',
  subject: 'the schema freeze',
  value: 'tbl_users_2',
};
const rejected: Given = {
  kind: 'rejected',
  polarity: 'dont',
  subject: 'the queue library',
  value: 'fastq-9',
};
const task: Given = {
  kind: 'todo',
  todoState: 'pending',
  subject: 'task on the login page',
  value: 'fix focus ring 7',
};
const checkA: Given = { kind: 'command', subject: 'the site check', value: 'make site-4k' };
const checkB: Given = { kind: 'command', subject: 'the shop check', value: 'make shop-9m' };
const formatOld: Given = { ...format, id: 'old', value: 'rows-v3' };

const upload: Given = { kind: 'number', subject: 'the upload limit', value: '25 MB' };
const store: Given = { kind: 'decision', subject: 'the session store', value: 'Redis' };
const runtime: Given = { kind: 'constraint', subject: 'Node version', value: 'Node 18' };
const window: Given = { kind: 'constraint', subject: 'deploy window', value: 'Friday' };
const flag: Given = { kind: 'state', subject: 'flag of the new page', value: 'off in tests' };
const retries: Given = { kind: 'number', subject: 'the retry count', value: '3' };

describe('factStates', () => {
  it.each<[string, Given, string, FactState]>([
    ['value with its subject', quota, 'The storage quota is 48213907 bytes.', 'kept'],
    ['a derived word', quota, 'Stored files: quotas of 48213907 bytes.', 'kept'],
    ['a number in groups', quota, 'Storage quota: 48,213,907 bytes.', 'kept'],
    ['a number in groups with spaces', quota, 'Storage quota: 48 213 907 bytes.', 'kept'],
    ['the heading as subject', quota, '## Storage quota\n\n- 48213907 bytes', 'kept'],
    ['the item above as subject', quota, '- storage quota\n  - 48213907 bytes', 'kept'],
    ['the column as subject', quota, '| Job | Storage quota |\n|--|--|\n| a | 48213907 |', 'kept'],
    ['the sentence before as subject', quota, 'There is a quota. It is 48213907.', 'kept'],
    ['another paragraph as subject', quota, '48213907 bytes.\n\nThe quota was a topic.', 'unbound'],
    ['a value alone', quota, 'Remember 48213907.', 'unbound'],
    ['nothing', quota, 'There is a storage quota.', 'lost'],
    ['an amount in another unit', quota, 'The storage quota is 48 MB.', 'wrong-value'],
    ['a changed digit', quota, 'The storage quota is 48213908 bytes.', 'wrong-value'],
    ['another number', quota, 'The storage quota is 91077 bytes.', 'wrong-value'],
    ['a longer number', quota, 'The session is 148213907.', 'wrong-value'],
    ['a denial', quota, 'The storage quota is not 48213907 bytes.', 'contradicted'],
    ['a bound', quota, 'Storage must not exceed 48213907 bytes.', 'kept'],
    ['a denial of another clause', quota, 'Do not ask, the quota is 48213907.', 'kept'],
    ['something struck out', format, '~~Export format: columns-v7~~', 'contradicted'],
    ['a denial behind', format, 'columns-v7 was abandoned as export format.', 'contradicted'],
    [
      'a denial of two',
      format,
      'rows-v3 and columns-v7 are no longer export formats.',
      'contradicted',
    ],
    [
      'a denial of the other',
      format,
      'The export format is columns-v7 instead of rows-v3.',
      'kept',
    ],
    ['a denial turned round', checkA, 'Never ship the site without make site-4k.', 'kept'],
    [
      'a contrast',
      format,
      'The export format was to be columns-v7, but it is not.',
      'contradicted',
    ],
    ['a kept ban', freeze, 'Schema freeze: do not touch tbl_users_2.', 'kept'],
    ['a ban that is over', freeze, 'The schema freeze was lifted for tbl_users_2.', 'contradicted'],
    [
      'a ban that does not apply',
      freeze,
      'The schema freeze does not cover tbl_users_2.',
      'contradicted',
    ],
    ['a permission', freeze, 'Schema: tbl_users_2 may be changed freely.', 'contradicted'],
    ['a rejected option', rejected, 'fastq-9 was ruled out as queue library.', 'kept'],
    ['an adopted option', rejected, 'For the queue library we use fastq-9.', 'contradicted'],
    ['an option as if taken', rejected, 'A queue library is fastq-9.', 'contradicted'],
    ['an open task', task, 'Login page: fix focus ring 7 is still to do.', 'kept'],
    ['a ticked box', task, '- [x] login page: fix focus ring 7', 'contradicted'],
    ['a list of what is done', task, '## Done\n\n- login page: fix focus ring 7', 'contradicted'],
    ['a task called off', task, 'Login page: fix focus ring 7 was cancelled.', 'contradicted'],
  ])('%s', (_, fact, text, state) => {
    expect(stateOf(text, [fact])).toBe(state);
  });

  it.each<[Given, string, FactState]>([
    [upload, 'Uploads bigger than 25 MB get rejected.', 'kept'],
    [upload, 'Uploads over 25 MB are no longer rejected.', 'contradicted'],
    [upload, 'Upload limit = 25,000 KB', 'kept'],
    [upload, 'アップロードの上限は２５ＭＢ。', 'kept'],
    [upload, 'Se rechazan las subidas de más de 25 MB.', 'kept'],
    [upload, '上传超过 25 MB 会被拒绝。', 'kept'],
    [upload, '| Upload limit | 52 MB |', 'wrong-value'],
    [upload, 'Uploads: half a gigabyte at most', 'wrong-value'],
    [upload, 'Downloads stop at 25 MB, uploads at 100 MB.', 'wrong-value'],
    [upload, 'Upload limit: still to be decided', 'lost'],
    [retries, 'Retry count: three', 'kept'],
    [retries, 'We retry seven times.', 'wrong-value'],
    [runtime, "Can't move past Node 18 yet.", 'kept'],
    [runtime, 'Node version: 20', 'wrong-value'],
    [window, 'Nothing is deployed before Friday.', 'kept'],
    [window, 'Deploy-Fenster: Freitag', 'kept'],
    [window, 'デプロイは金曜日だけ。', 'kept'],
    [window, 'The deploy window is Tuesday.', 'wrong-value'],
    [store, 'Sitzungen liegen in Redis.', 'kept'],
    [store, '会话存放在 Redis 中。', 'kept'],
    [store, 'Las sesiones se guardan en Redis.', 'kept'],
    [store, 'セッションは Redis に保存する。', 'kept'],
    [store, 'Redis is out as the session store.', 'contradicted'],
    [store, 'The team moved sessions off Redis.', 'contradicted'],
    [store, 'The session store moved from files to Redis.', 'kept'],
    [store, 'Anything but Redis for sessions.', 'contradicted'],
    [store, 'Sessions: Redis is broken; do not use it.', 'contradicted'],
    [store, 'Redis, the session store, was broken on Monday and stays.', 'kept'],
    [store, 'Redis keeps sessions, and the old key is no longer valid.', 'kept'],
    [store, 'Redis ist als Sitzungsspeicher wieder rausgeflogen.', 'contradicted'],
    [store, 'Redis wurde aus dem Sitzungsspeicher entfernt.', 'contradicted'],
    [store, 'Las sesiones: cualquier cosa menos Redis.', 'contradicted'],
    [store, '会话存储：除 Redis 外都可以', 'contradicted'],
    [store, 'Redis はセッションストアでは使われていない。', 'contradicted'],
    [store, '| Topic | Ruled out |\n|---|---|\n| Session store | Redis |', 'contradicted'],
    [store, 'Session store: Memcached', 'wrong-value'],
    [store, 'For sessions we now use Memcached.', 'wrong-value'],
    [store, 'セッションの保存先は Memcached。', 'wrong-value'],
    [store, 'Für Sitzungen nehmen wir jetzt Memcached.', 'wrong-value'],
    [store, 'The session store is not Memcached.', 'lost'],
    [store, 'Redis counts requests.', 'unbound'],
    [store, 'Sessions: MySQL phased out in favour of Redis', 'kept'],
    [store, 'Sessions live in Redis; MySQL was dropped.', 'kept'],
    [store, 'Die Sitzungen laufen ohne Redis.', 'contradicted'],
    [store, 'セッションは MySQL をやめて Redis', 'kept'],
    [upload, '| What | Limit |\n|---|---|\n| Upload | 9 MB |\n| Disk | 25 MB |', 'wrong-value'],
    [flag, 'The new page: its flag is off there.', 'kept'],
    [flag, 'The flag of the new page is now on.', 'contradicted'],
  ])('reads plain values: %# %j', ({ value, ...given }, text, state) => {
    expect(stateOf(text, [{ ...given, value }])).toBe(state);
  });

  it.each<[string, string, FactState]>([
    ['its own', 'Site check: make site-4k. Shop check: make shop-9m.', 'kept'],
    ['swapped', 'Site check: make shop-9m. Shop check: make site-4k.', 'wrong-value'],
    ['swapped in a table', '| shop check | make site-4k |', 'wrong-value'],
    ['swapped in clauses', 'For the shop make site-4k, for the site make shop-9m.', 'wrong-value'],
    ['taken by another value', 'Site check: make shop-9m.', 'wrong-value'],
  ])('tells facts of one kind apart: %s', (_, text, state) => {
    expect(stateOf(text, [checkA, checkB])).toBe(state);
  });

  it.each<[string, string, FactState]>([
    ['only what holds', 'Export format: columns-v7.', 'kept'],
    ['both, marked', 'Export format: columns-v7 (formerly rows-v3).', 'kept'],
    [
      'both, in order',
      'Export format set to rows-v3. Later the export format became columns-v7.',
      'kept',
    ],
    ['only what held', 'Export format: rows-v3.', 'stale'],
    ['what held, and a denial', 'The export format is rows-v3 and not columns-v7.', 'stale'],
    ['what held, as past', 'The export format used to be rows-v3.', 'lost'],
  ])('knows what was replaced: %s', (_, text, state) => {
    expect(stateOf(text, [{ ...format, supersedes: 'old' }, formatOld])).toBe(state);
  });

  it.each<[string, string, FactState]>([
    ['Das Speicherlimit liegt bei 48213907 Bytes, das wird auch so bleiben.', 'German', 'kept'],
    ['存储上限是 48213907 字节。', 'Chinese', 'kept'],
    ['存储上限不是 48213907 字节。', 'Chinese, denied', 'contradicted'],
    ['保存容量は 48213907 バイトではない。', 'Japanese, denied', 'contradicted'],
  ])('takes a distinctive value of a text in another language: %s', (text, _, state) => {
    expect(stateOf(text, [quota, freeze, rejected, format])).toBe(state);
  });

  it('does not take a decoy told of another project for the value', () => {
    const decoy: Given = {
      ...quota,
      id: 'decoy',
      role: 'distractor',
      about: 'fact',
      subject: 'the storage quota of the sister project',
      value: '55501234',
    };
    expect(stateOf('The sister project has a storage quota of 55501234.', [quota, decoy])).toBe(
      'lost',
    );
    expect(stateOf('The storage quota is 55501234.', [quota, decoy])).toBe('wrong-value');
  });

  it('reads long texts in time that grows with their length', () => {
    const facts = [quota, format, checkA, checkB].map(toFact);
    const text = `${'not '.repeat(100_000)}${'make site-4k '.repeat(20_000)}${'1.'.repeat(100_000)}`;
    expect(factStates(text, facts)).toHaveLength(facts.length);
  });
});

/** The state of the first of some facts. */
function stateOf(text: string, given: readonly Given[]): FactState | undefined {
  const facts = given.map(toFact);
  return factStates(text, facts).get(facts[0]!.id);
}

function toFact(given: Given, index: number): PlantedFact {
  return {
    id: index === 0 ? 'fact' : `other-${index}`,
    serial: given.id === 'old' ? 0 : index + 1,
    kind: 'number',
    polarity: 'do',
    criticality: 'must',
    source: 'user',
    step: 1,
    posPct: 0,
    neededAt: [],
    ...given,
  };
}
