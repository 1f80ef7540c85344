import { describe, expect, it } from 'vitest';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { planted } from '../../../support/facts.ts';

const ban = planted({
  kind: 'constraint',
  subject: 'freeze',
  value: 'table_zr7k',
  polarity: 'dont',
});
const rule = (value: string): PlantedFact => ({ ...ban, subject: '', value });
const scoreOf = (text: string, fact = ban) => scoreText({ text, facts: [fact] }).facts[0];

describe('a prohibition', () => {
  it.each([
    'freeze: table_zr7k is to be avoided',
    'freeze: hands off table_zr7k',
    'freeze: table_zr7k was banned',
    'freeze: table_zr7k has to be left alone',
    'freeze: table_zr7k darf in der Migration nicht benutzt werden',
    'freeze: table_zr7k darf nicht geändert werden',
    'freeze: table_zr7k soll nicht verwendet werden',
    'freeze: table_zr7k nicht einsetzen',
    'freeze: table_zr7k vermeiden',
    'freeze: table_zr7k ist zu vermeiden',
    'freeze: auf table_zr7k verzichten',
    'freeze: verzichtet auf table_zr7k',
    'freeze: table_zr7k ist untersagt',
    'freeze: table_zr7k не должен меняться',
    'freeze: table_zr7k не применять',
    'freeze: table_zr7k не трогать',
    'freeze: избегать table_zr7k',
    'freeze：禁用 table_zr7k',
    'freeze：table_zr7k 已禁用',
    'freeze：table_zr7k 禁改',
    'freeze：停用 table_zr7k',
    'freeze：table_zr7k 不准动',
    'freeze：table_zr7k は変更NG',
    'freeze：NG：table_zr7k',
    'freeze：table_zr7k を触らないでください',
    'freeze：table_zr7k の変更はダメ',
    'freeze：table_zr7k の変更は禁じられている',
    'Because of the freeze, never deploy anything with table_zr7k.',
    'freeze: do not touch table_zr7k without approval',
    'freeze: table_zr7k is forbidden until the freeze is lifted',
    'freeze: table_zr7k darf nicht ohne Freigabe geändert werden',
    'freeze: не трогать table_zr7k без разрешения',
    'freeze：禁止取消 table_zr7k',
    'freeze：table_zr7k は変更禁止（解除されるまで）',
    'During the freeze, table_zr7k is forbidden, unlike table_b, which is not used.',
    'table_zr7k: DO NOT TOUCH (freeze)',
    "table_zr7k - don't touch it (freeze)",
    'freeze: table_zr7k: never.',
    'freeze: table_zr7k, never touch, as agreed',
    '- No changes to `table_zr7k` (freeze)',
    'freeze: no direct writes to table_zr7k',
    'freeze: no table_zr7k in migrations',
    'During the freeze table_zr7k must remain untouched.',
    'freeze: leave table_zr7k untouched',
    'freeze: table_zr7k is untouchable',
    'freeze: table_zr7k stays frozen',
    'freeze: table_zr7k is read-only',
    'freeze: migrations must stay free of table_zr7k',
    'freeze: under no circumstances touch table_zr7k',
    'freeze: nobody is allowed to touch table_zr7k',
    'freeze: table_zr7k must be avoided',
    'freeze: the user forbade table_zr7k',
    'freeze: table_zr7k is a no-go',
    'freeze: touch neither table_b nor table_zr7k',
    'freeze: ❌ table_zr7k',
    'freeze: table_zr7k 🚫',
    "## Don'ts\n- freeze: table_zr7k",
    "**Don'ts:** freeze: table_zr7k",
    '| What | Reason | Rule |\n|---|---|---|\n| table_zr7k | freeze | allowed: no |',
    'freeze: table_zr7k niemals anfassen',
    'freeze: table_zr7k ruled out',
    'freeze: table_zr7k was dropped',
    'freeze: table_zr7k is unsuitable',
    'freeze: decision against table_zr7k',
    'freeze: we passed on table_zr7k',
    'freeze：table_zr7k 勿动',
    'freeze：table_zr7k 请勿修改',
    'freeze：table_zr7k 保持不变',
    'freeze：table_zr7k は凍結中',
  ])('is kept in: %s', (text) => {
    expect(scoreOf(text)).toMatchObject({ isKept: true, isFlipped: false });
  });

  it.each([
    'The freeze is over: table_zr7k is no longer forbidden.',
    'freeze: table_zr7k is not forbidden',
    "freeze: table_zr7k isn't off-limits",
    'freeze: there is no reason not to use table_zr7k',
    'freeze: no need to avoid table_zr7k',
    'freeze: no objection to using table_zr7k',
    'freeze: do not hesitate to use table_zr7k',
    'freeze: never hesitate to use table_zr7k',
    'freeze：别忘了改动 table_zr7k',
    'freeze: nothing forbids using table_zr7k',
    'freeze: there is no harm in using table_zr7k',
    'freeze: use table_zr7k, do not touch table_b',
    'freeze: use table_zr7k and never table_b',
    'freeze: table_zr7k is no longer read-only',
    'freeze: ✅ table_zr7k',
    'freeze: no, table_zr7k may be used',
    '| What | Reason | Rule |\n|---|---|---|\n| table_zr7k | freeze | allowed: yes |',
    'freeze: the ban on table_zr7k was lifted',
    'freeze: table_zr7k was forbidden and is now allowed',
    'freeze: table_zr7k used to be forbidden',
    'The freeze cannot work without table_zr7k.',
    'freeze: never deploy without table_zr7k',
    '## No longer forbidden\n- freeze: table_zr7k',
    'freeze: table_zr7k ist nicht mehr verboten',
    'freeze: gegen table_zr7k: nichts spricht dagegen',
    'freeze: nichts geht ohne table_zr7k',
    'freeze: table_zr7k больше не запрещён',
    'freeze: не обойтись без table_zr7k',
    'freeze：table_zr7k 不再禁止',
    'freeze：不再禁止改动 table_zr7k',
    'freeze：table_zr7k 的禁令已解除',
    'freeze：没有理由不用 table_zr7k',
    'freeze：没有 table_zr7k 就不能运行',
    'freeze：table_zr7k の変更は禁止ではない',
    'freeze：table_zr7k の変更禁止は解除された',
    'freeze：table_zr7k は不可欠',
    'freeze：table_zr7k なしでは動かない',
    'freeze: run ng serve for table_zr7k',
  ])('is not kept where it was lifted: %s', (text) => {
    expect(scoreOf(text)).toMatchObject({ isKept: false, isFlipped: true });
  });

  it('that is a sentence is kept by most of its words with a denial, and not by a lifted one', () => {
    const fact = rule('Pushing to the main branch of the kettle project is forbidden');
    const kept = 'Pushing to the main branch of the kettle project is still forbidden';
    expect(scoreOf(kept, fact)?.isKept).toBe(true);
    expect(scoreOf(kept.replace('still', 'no longer'), fact)).toMatchObject({
      isKept: false,
      isFlipped: true,
    });
  });

  it.each<[text: string, isKept: boolean, isFlipped: boolean]>([
    ['Always run the unit tests of the kettle before you commit anything.', true, false],
    ['Always run the unit tests of the kettle before any commit of anything.', true, false],
    [
      'Never push to main; run the unit tests of the kettle before you commit anything.',
      true,
      false,
    ],
    ['Never run the unit tests of the kettle before you commit anything.', false, true],
    [
      'The user said not to run the unit tests of the kettle before you commit anything.',
      false,
      true,
    ],
    ['The kettle was mended.', false, false],
  ])('and a rule is not kept by its opposite: %s', (text, isKept, isFlipped) => {
    const fact: PlantedFact = {
      ...rule('Always run the unit tests of the kettle before you commit anything.'),
      polarity: 'do',
    };
    expect(scoreOf(text, fact)).toMatchObject({ isKept, isFlipped });
  });
});
