import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import {
  findWorkload,
  type Language,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { countKept } from '../../../../src/simulator/session/redact/kept-run.ts';
import { user } from '../../../support/history.ts';
import { outcomeOf, tokensOf, tryOut } from './outcomes.ts';
import { newRedactor, sessionOf, tokenizer } from './redactors.ts';

const SALTS = ['a', 'b', 'c', 'd'];

/** Sessions, short to long, whose people and models write one language. */
function sessionsIn(language: Language) {
  const workload = { ...findWorkload('claude-code'), languages: { [language]: 1 } };
  return [8, 10, 2].map((index) => generateSession(workload, { seed: 1, index }));
}

/** Clauses without a mark or a blank, longer than any word. */
const CLAUSES = {
  Chinese:
    '昨天晚上我在厨房里找了很久也没有找到那个水壶的盖子后来才发现是孩子们把它拿到院子里当成小船放在水池里玩了一整个下午最后盖子沉到了水底',
  Japanese:
    '昨日の夜に台所でやかんの蓋をずっと探していましたが見つからなくて後になって子どもたちが庭に持ち出して池で小さな船の代わりにして遊んでいたことがわかりました',
  Thai: 'เมื่อคืนนี้ฉันหาฝากาน้ำในครัวอยู่นานมากแต่ก็หาไม่เจอจนกระทั่งรู้ว่าเด็กๆเอาออกไปเล่นที่สนามหลังบ้านและใช้เป็นเรือลำเล็กๆในบ่อน้ำตลอดทั้งบ่าย',
} as const;

function redactTexts(texts: readonly string[], salt: string): readonly string[] {
  const { messages } = newRedactor(salt).redact(
    sessionOf(texts.map((text, index) => user(`u${index}`, text))),
  );
  return messages.flatMap(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')),
  );
}

const sum = (texts: readonly string[]): number =>
  texts.reduce((tokens, text) => tokens + tokenizer.count(text), 0);

describe.each(['japanese', 'chinese'] as const)('redacted sessions in %s', (language) => {
  const sessions = sessionsIn(language);

  it.each(SALTS)('have nearly the tokens that they had, under salt %s', (salt) => {
    for (const session of sessions) {
      const [before, after] = [tokensOf(session), tokensOf(newRedactor(salt).redact(session))];
      expect(Math.abs(after - before) / before).toBeLessThan(0.002);
    }
  });

  const trials = sessions
    .slice(0, 2)
    .flatMap((session) => tryOut({ session, redacted: newRedactor('a').redact(session) }));

  it.each(['opencode-1.2.16', 'document-002', 'claude-code'] as const)(
    'hit the same thresholds and prune the same under %s',
    (name) => {
      const policy = policies[name];
      expect(trials).toHaveLength(2);
      for (const { before, after, contextTokens } of trials) {
        const expected = outcomeOf(before, policy, contextTokens);
        const got = outcomeOf(after, policy, contextTokens);
        expect(expected.hits.overflows).toBeGreaterThan(0);
        expect(got.hits).toEqual(expected.hits);
        expect(got.prunes).toEqual(expected.prunes);
      }
    },
  );
});

describe.each(Object.entries(CLAUSES))('a clause of %s', (_, clause) => {
  const pieces = [20, 40, clause.length].map((length) => clause.slice(0, length));

  it.each(SALTS)('weighs what it did, however long it is, under salt %s', (salt) => {
    const after = redactTexts(pieces, salt);
    expect(Math.abs(sum(after) - sum(pieces))).toBeLessThanOrEqual(2);
  });

  it.each(SALTS)('keeps no three characters at their place, under salt %s', (salt) => {
    const after = redactTexts(pieces, salt);
    expect(pieces.filter((piece, index) => countKept(piece, after[index] ?? '') > 0)).toEqual([]);
  });

  it('is the same wherever it stands', () => {
    const [alone, quoted] = redactTexts([clause, `x "${clause}" x`], 'a');
    expect(quoted).toContain(`"${alone}"`);
  });
});
