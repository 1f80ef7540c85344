import { describe, expect, it } from 'vitest';
import {
  checkNamesOfFiles,
  checkTexts,
  describeUnnamed,
} from '../../../src/cli/options/with-text.ts';
import type { Saved } from '../../../src/simulator/report/saved/saved.ts';

describe('describeUnnamed', () => {
  it('names what is near, where there is any session', () => {
    const expected = "Expected '--with-text' to name a session, got 'chat'";
    expect(describeUnnamed(['chat'], [{ session: 'chat-1' }])).toEqual([
      `${expected}; nearest: chat-1.`,
    ]);
    expect(describeUnnamed(['chat'], [])).toEqual([`${expected}.`]);
  });
});

describe('checkNamesOfFiles', () => {
  const files = ['a.json', 'b#1.json'];

  it.each(['a.json', 'a.json#3', 'b#1.json', 'b#1.json#0'])('takes %s', (name) => {
    expect(() => checkNamesOfFiles([name], files)).not.toThrow();
  });

  it.each(['b', 'a.jso', 'a', 'c.json#1'])('refuses %s', (name) => {
    expect(() => checkNamesOfFiles(['a.json', name], files)).toThrow(`session, got '${name}'`);
  });
});

describe('checkTexts', () => {
  it('knows the sessions of a sweep by its rows', () => {
    const rows = [{ session: 'chat' }];
    const saved = { kind: 'sweep', rows, views: new Map() } as unknown as Saved;
    expect(() => checkTexts(undefined, saved)).not.toThrow();
    expect(() => checkTexts(['chat'], saved)).toThrow("texts of 'chat', but none were kept");
    expect(() => checkTexts(['chart'], saved)).toThrow("to name a session, got 'chart'");
  });
});
