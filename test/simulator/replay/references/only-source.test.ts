import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { read, say, shown, write } from './sessions.ts';

const referencesOf = (...messages: readonly Message[]) =>
  traceOf([user('u1'), ...messages])
    .references()
    .all.map(shown);

describe('the only source of words', () => {
  it('does not need words of an output that was overwritten', () => {
    const messages = [
      read('s1', 'a', 'parseQuery'),
      write('s2', 'a', 'b'),
      say('s3', 'parseQuery'),
    ];
    expect(referencesOf(...messages)).toEqual([]);
  });

  it('takes words that stood in two places for those of the one that is left', () => {
    const messages = [
      read('s1', 'a', 'isParsed'),
      read('s2', 'b', 'isParsed'),
      write('s3', 'a', 'x'),
    ];
    expect(referencesOf(...messages, say('s4', 'isParsed'))).toEqual(['4 quoted s2-read output']);
  });

  it('needs words of the only file of use that holds them, in whichever order files were read and written', () => {
    const uses = fc.array(
      fc.record({ isRead: fc.boolean(), file: fc.constantFrom('a', 'b', 'c') }),
    );
    const checked = { one: 0 };
    fc.assert(
      fc.property(uses, (list) => {
        const holding = new Map<string, string>();
        const messages = list.map(({ isRead, file }, index) => {
          const id = `s${index + 1}`;
          if (isRead) holding.set(file, id);
          else holding.delete(file);
          return isRead ? read(id, file, `isParsed in ${file}`) : write(id, file, 'x');
        });
        const at = list.length + 1;
        const found = referencesOf(...messages, say(`s${at}`, 'isParsed'));
        const [only, another] = [...holding.values()];
        const isOne = only !== undefined && another === undefined;
        checked.one += Number(isOne);
        expect(found.filter((each) => each.startsWith(`${at} `))).toEqual(
          isOne ? [`${at} quoted ${only}-read output`] : [],
        );
      }),
    );
    expect(checked.one).toBeGreaterThan(10);
  });

  it('takes words for written in two places again, once a file is what it was', () => {
    const before = [
      read('s1', 'a', 'isParsed'),
      write('s2', 'a', 'x'),
      read('s3', 'b', 'isParsed'),
    ];
    const words = say('end', 'isParsed');
    expect(referencesOf(...before, words)).toEqual(['4 quoted s3-read output']);
    const anew = [write('s4', 'a', 'y'), read('s5', 'a', 'isParsed')];
    expect(referencesOf(...before, ...anew, words)).toEqual([]);
  });
});
