import { describe, expect, it } from 'vitest';
import { STRICT_RULE } from '../../../../src/simulator/summarizer/extractive/cues.ts';
import { text, user } from '../../../support/history.ts';
import { ends, section } from './sections.ts';

const NONE = ['(none)'];

it.each<[string, readonly string[]]>([
  ['You must run the linter. It is fast.', ['You must run the linter.']],
  ['Never push to main!', ['Never push to main!']],
  ['Always answer in French.', ['Always answer in French.']],
  ['Do not add packages. Ever.', ['Do not add packages.']],
  ['Don’t rename src/App.Test.tsx.', ['Don’t rename src/App.Test.tsx.']],
  ['The test mustn’t sleep.', ['The test mustn’t sleep.']],
  ['Change only src/a.ts.', ['Change only src/a.ts.']],
  ['Please use tabs.', ['Please use tabs.']],
  ['I prefer short names.', ['I prefer short names.']],
  ['Avoid classes.', ['Avoid classes.']],
  ['Make sure that it builds.', ['Make sure that it builds.']],
  ['It should not take longer than 5 s.', ['It should not take longer than 5 s.']],
  ['1. use pnpm\n2. never use npm', ['never use npm']],
  ['Rules:\n- tabs, always\n- never classes', ['Rules: tabs, always', 'Rules: never classes']],
  [
    'Do not touch:\n- src/old.ts\n- src/older.ts',
    ['Do not touch: src/old.ts', 'Do not touch: src/older.ts'],
  ],
  ['代码必须有测试。随便写。', ['代码必须有测试。']],
  ['不要修改 src/a.ts。', ['不要修改 src/a.ts。']],
  ['请使用中文注释。', ['请使用中文注释。']],
  ['务必先备份！', ['务必先备份！']],
  ['先看一下，别删文件。', ['先看一下，别删文件。']],
  ['日本語で書いてください。次へ。', ['日本語で書いてください。']],
  ['このファイルは変更しないでください。', ['このファイルは変更しないでください。']],
  ['main には push しないで。', ['main には push しないで。']],
  ['テストは必ず実行する。', ['テストは必ず実行する。']],
  ['Fix the parser.', NONE],
  ["I don't know why it fails.", NONE],
  ['A read-only file, mustard and the nevermore.', NONE],
  ['特别好，识别别的文件。', NONE],
  ['```\nyou must not read this\n```', NONE],
  [
    '```\nsome code\n```\nNever mind the code. ``` You must.',
    ['Never mind the code.', '``` You must.'],
  ],
  ['```\nnever closed, but it must be read', ['never closed, but it must be read']],
])('of %j the instructions are %j', (request, expected) => {
  expect(section('Instructions', [user('u', request)])).toEqual(expected);
});

it('takes no instructions from the model', () => {
  expect(section('Instructions', [user('u', 'Hello.'), ends('You must wait.')])).toEqual(NONE);
});

it('keeps strict rules that programs hand on, and those of the user longer', () => {
  const handedOn = text('s', 'You must obey the linter. Use it if you like.', { synthetic: true });
  const messages = [user('u', 'Never touch the schema.', handedOn)];
  expect(section('Instructions', messages)).toEqual([
    'You must obey the linter.',
    'Never touch the schema.',
  ]);
  expect(section('Instructions', messages, { outputCapTokens: 50 })).toEqual([
    'Never touch the schema.',
  ]);
});

it('keeps strict rules longer than mild ones, and newer ones longer than older ones', () => {
  const rules = Array.from({ length: 20 }, (_, index) =>
    user(`u${index}`, `${index % 2 === 0 ? 'Never' : 'Avoid'} the thing of number ${index}.`),
  );
  const kept = section('Instructions', rules, { outputCapTokens: 110 });
  expect(kept).toContain('Never the thing of number 18.');
  expect(kept).not.toContain('Never the thing of number 0.');
  expect(kept.filter((line) => line.startsWith('Avoid'))).toEqual([]);
});

describe('STRICT_RULE', () => {
  it.each([
    ['必ず', true],
    ['してください', false],
    ['禁止', true],
    ['优先', false],
    ['shall', true],
    ['should', false],
  ])('%s: %s', (words, isStrict) => {
    expect(STRICT_RULE.test(words)).toBe(isStrict);
  });
});
