import { describe, expect, it } from 'vitest';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { planted } from '../../../support/facts.ts';

const FACTS = {
  decision: planted({ kind: 'decision', subject: 'the cache', value: 'redis-9xq' }),
  decisionInChinese: planted({ kind: 'decision', subject: '缓存', value: 'redis-9xq' }),
  decisionInJapanese: planted({ kind: 'decision', subject: 'キャッシュ', value: 'redis-9xq' }),
  error: planted({ kind: 'error', subject: 'the login', value: 'E_QA1111' }),
  number: planted({ kind: 'number', subject: 'the limit', value: '57' }),
  path: planted({ kind: 'path', subject: 'the ledger', value: 'src/a7.ts' }),
  command: planted({ kind: 'command', subject: 'the check', value: 'npm run test:qx71' }),
  ticket: planted({ kind: 'id', subject: 'ticket', value: 'OPS-4821' }),
  task: planted({
    kind: 'todo',
    subject: 'the kettle',
    value: 'fill it qx7',
    todoState: 'cancelled',
  }),
} satisfies Record<string, PlantedFact>;
type Name = keyof typeof FACTS;

const saidOf = (name: Name, text: string) => {
  const [{ isKept, isFlipped } = { isKept: false, isFlipped: false }] = scoreText({
    text,
    facts: [FACTS[name]],
  }).facts;
  return isKept ? 'kept' : isFlipped ? 'flipped' : 'lost';
};

describe('a value that is to be used', () => {
  it.each<[name: Name, text: string]>([
    ['decision', 'The cache uses redis-9xq (memcached is forbidden).'],
    ['decision', 'The cache uses redis-9xq — memcached was rejected.'],
    ['decision', 'The cache uses redis-9xq - memcached was rejected'],
    ['decision', 'The cache uses redis-9xq because memcached cannot shard.'],
    ['decision', 'The cache uses redis-9xq since memcached must not be used.'],
    ['decision', 'The cache uses redis-9xq and memcached is banned.'],
    ['decision', 'The cache uses redis-9xq, the library is not used.'],
    ['decision', 'The cache uses redis-9xq while memcached was ruled out.'],
    ['decision', 'The cache uses redis-9xq (rejected: memcached).'],
    ['decision', 'The cache uses redis-9xq (rejected memcached)'],
    ['decision', 'The cache uses redis-9xq instead of memcached.'],
    ['decision', 'Do not use memcached (use redis-9xq) for the cache.'],
    ['decision', 'We decided against memcached in favour of redis-9xq for the cache.'],
    ['decision', 'We rejected memcached because redis-9xq is faster for the cache.'],
    ['decision', 'cache: redis-9xq cannot shard by itself'],
    ['decision', 'cache: redis-9xq is not configured yet'],
    ['decision', 'cache: redis-9xq is not used yet, but will be'],
    ['decision', 'cache: redis-9xq (nicht verwenden: memcached)'],
    ['decision', 'cache: redis-9xq (не использовать memcached)'],
    ['decision', 'cache: redis-9xq (no longer used: memcached)'],
    ['decision', 'The cache cannot work without redis-9xq.'],
    ['decision', 'Never run the cache without redis-9xq.'],
    ['decision', 'Without redis-9xq the cache does not start.'],
    ['decision', 'cache: redis-9xq is not forbidden'],
    ['decision', 'The cache uses redis-9xq, der Rest ist verboten.'],
    ['decision', 'Ohne redis-9xq läuft der cache nicht.'],
    ['decision', 'cache: redis-9xq, потому что memcached нельзя использовать'],
    ['decisionInChinese', '缓存：redis-9xq（memcached 被否决）'],
    ['decisionInChinese', '缓存：redis-9xq，memcached 已放弃'],
    ['decisionInChinese', '缓存用 redis-9xq 因为 memcached 不能分片'],
    ['decisionInChinese', '缓存：redis-9xq，不再使用 memcached'],
    ['decisionInChinese', '缓存：redis-9xq（不再使用 memcached）'],
    ['decisionInChinese', '缓存：redis-9xq 尚未提交'],
    ['decisionInChinese', '没有 redis-9xq 缓存就不能运行'],
    ['decisionInJapanese', 'キャッシュ：redis-9xq（memcached は却下）'],
    ['decisionInJapanese', 'キャッシュは redis-9xq、memcached は使わない'],
    ['decisionInJapanese', 'キャッシュの redis-9xq はまだ設置していない'],
    ['decisionInJapanese', 'redis-9xq なしではキャッシュは動かない'],
    ['error', 'E_QA1111 is not yet fixed in the login.'],
    ['error', 'We could not reproduce E_QA1111 in the login.'],
    ['error', 'The login must never return E_QA1111.'],
    ['error', 'The login refused with E_QA1111.'],
    ['error', 'login: E_QA1111 wurde noch nicht behoben'],
    ['error', 'login: E_QA1111 ещё не исправлен'],
    ['error', 'login: E_QA1111 未修复'],
    ['number', 'The limit must not exceed 57.'],
    ['number', 'The limit should never be more than 57.'],
    ['number', 'Never lower the limit below 57.'],
    ['number', 'limit darf 57 nicht überschreiten'],
    ['number', 'limit 不得超过 57'],
    ['number', 'limit は 57 を超えないこと'],
    ['number', 'limit не должен превышать 57'],
    ['path', 'ledger: src/a7.ts is not committed yet'],
    ['path', 'ledger: src/a7.ts must not be touched'],
    ['path', 'We have not committed src/a7.ts of the ledger.'],
    ['path', 'The ledger in src/a7.ts does not compile.'],
    ['command', 'The check did not pass with npm run test:qx71 so far.'],
    ['command', 'check: npm run test:qx71 was not run after the last edit'],
    ['ticket', 'ticket OPS-4821 was rejected'],
    ['ticket', 'Do not use ticket OPS-4821.'],
    ['task', 'kettle: fill it qx7 was abandoned'],
    ['task', 'kettle: we will not do fill it qx7'],
    ['task', 'kettle: fill it qx7 is no longer needed'],
  ])('as %s is told in: %s', (name, text) => {
    expect(saidOf(name, text)).toBe('kept');
  });

  it.each<[name: Name, text: string]>([
    ['decision', 'For the cache redis-9xq is not used.'],
    ['decision', 'cache: redis-9xq is no longer used'],
    ['decision', 'cache: redis-9xq must not be used'],
    ['decision', 'cache: redis-9xq was later rejected'],
    ['decision', 'cache: redis-9xq (rejected)'],
    ['decision', 'cache: redis-9xq — rejected because it leaks'],
    ['decision', 'redis-9xq for the cache is forbidden.'],
    ['decision', 'cache: not redis-9xq'],
    ['decision', 'Do not use the old redis-9xq for the cache.'],
    ['decision', 'Never set the cache to redis-9xq.'],
    ['decision', 'The cache uses memcached instead of redis-9xq.'],
    ['decision', 'We decided against using redis-9xq for the cache.'],
    ['decision', 'The cache runs without redis-9xq.'],
    ['decision', 'cache: redis-9xq darf nicht benutzt werden'],
    ['decision', 'cache: redis-9xq wird nicht mehr verwendet'],
    ['decision', 'cache: redis-9xq больше не используется'],
    ['decision', 'cache: нельзя использовать redis-9xq'],
    ['decisionInChinese', '缓存：不要使用 redis-9xq'],
    ['decisionInChinese', '缓存：redis-9xq 被否决'],
    ['decisionInChinese', '缓存：redis-9xq（已放弃）'],
    ['decisionInChinese', '缓存：redis-9xq 不再使用'],
    ['decision', 'cache: redis-9xq не использовать'],
    ['decision', 'cache: redis-9xq nicht mehr verwenden'],
    ['decisionInChinese', '缓存不再采用 redis-9xq'],
    ['decisionInChinese', '缓存用的不是 redis-9xq'],
    ['decisionInJapanese', 'キャッシュに redis-9xq は使わない'],
    ['decisionInJapanese', 'キャッシュ：redis-9xq は却下された'],
    ['decisionInJapanese', 'キャッシュは redis-9xq ではない'],
    ['error', 'The login does not fail with a timeout, and not with E_QA1111.'],
    ['error', 'login: E_QB2222 instead of E_QA1111'],
    ['number', 'Do not set the limit to 57.'],
    ['number', 'The limit is not 57.'],
    ['path', 'The ledger is not in src/a7.ts.'],
    ['command', 'Do not run the check with npm run test:qx71.'],
  ])('as %s is taken back in: %s', (name, text) => {
    expect(saidOf(name, text)).toBe('flipped');
  });
});
