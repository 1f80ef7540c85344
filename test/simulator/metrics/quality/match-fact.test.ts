import { describe, expect, it } from 'vitest';
import { extractFacts, viewText } from '../../../../src/simulator/metrics/quality/extract-facts.ts';
import { indexSource } from '../../../../src/simulator/metrics/quality/inventions.ts';
import type { ChainOutcome } from '../../../../src/simulator/metrics/quality/retention.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { distinctEntities } from '../../../../src/simulator/metrics/quality/words.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { planted } from '../../../support/facts.ts';
import { step, toolIn } from '../../../support/history.ts';
import { sessionIn } from './oracle.ts';

const base = planted({ kind: 'number', subject: 'the market quota', value: '52295963009' });
const other: PlantedFact = {
  ...base,
  id: 'fact-2',
  subject: 'the label quota',
  value: '17700000023',
};
const path: PlantedFact = {
  ...base,
  kind: 'path',
  subject: 'the label code',
  value: 'src/label/zr7k.ts',
};
const ban: PlantedFact = {
  ...base,
  kind: 'constraint',
  subject: 'the label freeze',
  value: 'table_zr7k',
  polarity: 'dont',
};
const chinese = { ...base, subject: 'market 的配额' };
const chineseBan = { ...ban, subject: 'label 的冻结期' };
const japaneseBan = { ...ban, subject: 'label の凍結' };

describe('distinctEntities', () => {
  it('has a path once, whichever slashes it is written with', () => {
    const entities = distinctEntities(String.raw`src\cli\main.ts and src/cli/main.ts`);
    expect([...entities.keys()]).toEqual(['src/cli/main.ts']);
  });
});

describe('a fact', () => {
  it.each<[text: string, fact: PlantedFact, level: number]>([
    ['Set the market quota to 52295963009 bytes.', base, 3],
    ['MARKET QUOTA: `52295963009`', base, 3],
    ['| market quota | 52295963009 |', base, 3],
    ['Quotas of the market\n- 52295963009', base, 3],
    ['## Market quota\n- 52295963009 bytes for the market', base, 3],
    ['The market has a quota.\nIt is 52295963009 bytes.', base, 3],
    ['market quota: 52,295,963,009', base, 2],
    ['market quota: 522959630091', base, 1],
    ['market quota: 52295963008', base, 1],
    ['The market quota is -52295963009.', base, 1],
    ['market quota: −52295963009', base, 1],
    ['market quota - 52295963009', base, 3],
    ['market quota->52295963009', base, 3],
    ['52295963009', base, 1],
    ['nothing of it', base, 0],
    ['- label quota: 52295963009\n- market quota: 17700000023', base, 1],
    ['- market quota and label quota: 52295963009', base, 1],
    ['the label code is in ./src/label/zr7k.ts', path, 3],
    ['the label code is in src\\label\\zr7k.ts', path, 3],
    ['the label code is in /home/me/project/src/label/zr7k.ts', path, 2],
    ['the label code is in src/label/zr7k.tsx', path, 1],
    ['the label code is in old/src/label/zr7k.ts', path, 1],
    ['把 market 的配额设为 52295963009 字节。', chinese, 3],
    ['market的配额：５２２９５９６３００９', chinese, 3],
  ])('of %s', (text, fact, level) => {
    const facts = fact === base ? [fact, other] : [fact];
    expect(scoreText({ text, facts }).facts[0]?.level).toBe(level);
  });

  it.each<[text: string, fact: PlantedFact, said: 'kept' | 'flipped']>([
    ['Because of the label freeze, never touch table_zr7k.', ban, 'kept'],
    ['label freeze: table_zr7k must not be changed', ban, 'kept'],
    ['## Do not touch\n- table_zr7k (label freeze)', ban, 'kept'],
    ['Because of the label freeze, touch table_zr7k.', ban, 'flipped'],
    ['label freeze: do not forget to drop table_zr7k', ban, 'flipped'],
    ['因为 label 的冻结期，不要动 table_zr7k。', chineseBan, 'kept'],
    ['label 的冻结期：table_zr7k 禁止改动', chineseBan, 'kept'],
    ['因为 label 的冻结期，特别处理 table_zr7k。', chineseBan, 'flipped'],
    ['label の凍結のため、table_zr7k は変更しないこと。', japaneseBan, 'kept'],
    ['label の凍結のため、table_zr7k を変更すること。', japaneseBan, 'flipped'],
    ['For the label freeze: release without table_zr7k.', ban, 'kept'],
    ['label freeze: refrain from touching table_zr7k', ban, 'kept'],
    ['label freeze: table_zr7k is disallowed', ban, 'kept'],
    ['label freeze: table_zr7k was turned down', ban, 'kept'],
    ['label freeze: table_zr7k was dismissed', ban, 'kept'],
    ['label freeze: we turned down table_zr7k', ban, 'kept'],
    ['Set the market quota to 52295963009, not 17.', base, 'kept'],
    ['Run without any cache at the market quota of 52295963009.', base, 'kept'],
    ['The market quota was turned down to 52295963009.', base, 'kept'],
    ['Do not set the market quota to 52295963009.', base, 'flipped'],
    ['不要把 market 的配额设为 52295963009。', chinese, 'flipped'],
    ['把 market 的配额设为 52295963009，不要超过。', chinese, 'kept'],
  ])('is said as it should be, or is turned round: %s', (text, fact, said) => {
    const [scored] = scoreText({ text, facts: [fact] }).facts;
    expect(scored).toMatchObject({ isKept: said === 'kept', isFlipped: said === 'flipped' });
  });

  it.each<[text: string, outcome: ChainOutcome]>([
    ['market quota: 888', 'current'],
    ['market quota: 52295963009', 'old'],
    ['market quota: 52295963009\nmarket quota: 888', 'ambiguous'],
    ['market quota: 888\nmarket quota: 52295963009', 'ambiguous'],
    ['market quota: 888 (previously 52295963009)', 'marked'],
    ['market quota: 52295963009 -> 888', 'marked'],
    ['market quota: 52295963009\nCorrection: market quota is 888', 'marked'],
    ['market quota is now 888\nmarket quota: 52295963009', 'ambiguous'],
    ['market quota 原来是 52295963009，改为 888', 'marked'],
    ['nothing', 'none'],
  ])('that has changed: %s', (text, outcome) => {
    const later = { ...base, id: 'fact-2', value: '888', supersedes: 'fact-1', step: 2, serial: 2 };
    const old = { ...base, serial: 1 };
    expect(scoreText({ text, facts: [later, old] }).chains[0]?.outcome).toBe(
      // The larger serial holds, wherever it stands in the list.
      outcome,
    );
  });

  it.each([
    ['port 8081 in src/a/b.ts', ['8081'], ['8081']],
    ['src/c/b.ts', ['src/c/b.ts'], ['src/c/b.ts']],
    ['`src/a/b.ts` and /home/me/src/a/b.ts, loadIndex()', [], []],
    ['cfg-12ab99', ['cfg-12ab99'], ['cfg-12ab99']],
    ['wholly/other/thing.rs and 99999', ['wholly/other/thing.rs', '99999'], []],
    ['1,500 ms, 12MB', [], []],
  ])('made up in %s', (text, invented, corrupted) => {
    const source = indexSource('port 8080: loadIndex() in src/a/b.ts, cfg-12ab98, 1500 ms, 12 MB');
    const { inventions } = scoreText({ text, facts: [], source });
    expect(inventions?.invented).toEqual(invented);
    expect(inventions?.corrupted.map((corruption) => corruption.text)).toEqual(corrupted);
  });

  it.each([
    "max: '2020-12-31'",
    'SyntaxError/EvalError',
    'a draft-2020-12 of 1,234.5 items, -5000',
  ])('is made up nowhere in a copy: %s', (text) => {
    const { inventions } = scoreText({ text, facts: [], source: indexSource(text) });
    expect(inventions?.entities).toBeGreaterThan(0);
    expect(inventions?.invented).toEqual([]);
  });

  it('of later steps, or of none yet, does not count', () => {
    const facts = [base, { ...other, step: 9 }];
    expect(scoreText({ text: '', facts, atStep: 5 }).facts.map(({ id }) => id)).toEqual(['fact-1']);
  });
});

describe('a recorded session', () => {
  const messages = sessionIn('english', { factsPerKilotoken: 0 }).messages.slice(0, 60);
  const facts = extractFacts(messages);

  it('gives facts that stand in it, and that all of it keeps', () => {
    const text = viewText(messages);
    expect(facts.length).toBe(200);
    expect(new Set(facts.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    const { retained, inventions } = scoreText({ text, facts, source: indexSource(text) });
    expect(retained.share).toBeGreaterThan(0.98);
    expect(inventions?.inventedShare).toBe(0);
    expect(scoreText({ text: '', facts }).retained.share).toBe(0);
  });

  it('gives rules of the user as sentences, kept where most of their words are', () => {
    const [rule] = extractFacts([
      {
        id: 'm',
        role: 'user',
        createdAt: 0,
        parts: [
          {
            type: 'text',
            id: 'p',
            text: 'Hi. You must never commit the generated lock file to the main branch. Ok?',
          },
        ],
      },
    ]);
    expect(rule).toMatchObject({ kind: 'constraint', criticality: 'must', polarity: 'dont' });
    const kept = (text: string) => scoreText({ text, facts: [rule!] }).retained.share;
    expect(kept('- Never commit the generated lock file to main branch')).toBe(1);
    expect(kept('- Commit the generated lock file to the main branch, you must')).toBe(0);
    expect(kept('- There is a lock file')).toBe(0);
  });

  it('gives no numbers of lines, no ends of lines as folders, and no verbs of editors', () => {
    const shown = String.raw`1234→readAll('a\n\t\treturn b')`;
    const input = { command: 'view', path: 'src/a.ts' };
    const looks = ['s1', 's2'].map((id) =>
      step(id, [
        toolIn(id, { status: 'completed', input, output: shown }, 'str_replace_based_edit_tool'),
        toolIn(id, { status: 'completed', input: { command: 'npm test' }, output: '' }),
      ]),
    );
    const found = extractFacts(looks).map(({ kind, value }) => [kind, value]);
    expect(found).toEqual([
      ['path', 'src/a.ts'],
      ['symbol', 'readAll'],
      ['command', 'npm test'],
    ]);
  });
});
