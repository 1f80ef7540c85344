import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';

/** Broken lines, glued records. */
type Counts = readonly [number, number];

const linesOf = (text: string) => createSourceFile('x', text).lines();

describe('lines', () => {
  it.each<[string, string, readonly unknown[], ...Counts]>([
    ['one record a line', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }], 0, 0],
    ['a missing line end', '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }], 0, 0],
    [
      'Windows line ends and blank lines',
      '{"a":1}\r\n\r\n \n{"a":2}\r\n',
      [{ a: 1 }, { a: 2 }],
      0,
      0,
    ],
    ['a byte order mark', '\uFEFF{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }], 0, 0],
    ['two glued records', '{"a":1}{"b":2}\n{"a":3}', [{ a: 1 }, { b: 2 }, { a: 3 }], 0, 1],
    ['three glued records, with blanks', '{"a":1} {"b":2}\t[3]\n', [{ a: 1 }, { b: 2 }, [3]], 0, 2],
    [
      'braces and quotes inside texts',
      '{"a":"}{\\"}{"}{"b":"\\\\"}\n',
      [{ a: '}{"}{' }, { b: '\\' }],
      0,
      1,
    ],
    ['a torn last line', '{"a":1}\n{"a":"tor', [{ a: 1 }], 1, 0],
    ['a torn record behind a whole one', '{"a":1}{"a":"tor\n{"a":2}', [{ a: 1 }, { a: 2 }], 1, 0],
    ['a whole record behind a torn one', '{"a":"to{"a":2} \n{"a":3}', [{ a: 2 }, { a: 3 }], 1, 0],
    ['whole ones on both sides of one', '{"a":1}{"a":"to{"a":2}', [{ a: 1 }, { a: 2 }], 1, 1],
    [
      'several behind a torn one, with braces and quotes inside texts',
      '{"a":{"b":1}{"b":"}{\\\\\\"{","c":[{}]} {"\\\\":"\\""}',
      [{ b: '}{\\"{', c: [{}] }, { '\\': '"' }],
      1,
      1,
    ],
    ['a record that was torn behind a piece of it', '{"a":[{"b":1}\n{"a": {"b":1}', [], 2, 0],
    ['a text that was torn behind braces', '{"a":"b {}\n{"a":"\\{\\"b\\":1}', [], 2, 0],
    ['text that ends like a record', 'a = {"b":1}', [], 1, 0],
    ['brackets that do not match', '{"a":1}\n{"a":[1}}\n', [{ a: 1 }], 1, 0],
    ['text that is no JSON', 'hello\nworld', [], 2, 0],
    ['values that are no objects', '1\n"x"\nnull', [1, 'x', null], 0, 0],
    ['a document over several lines', '{\n "a": 1\n}\n', [{ a: 1 }], 0, 0],
    ['nothing', '', [], 0, 0],
  ])('reads %s', (_, text, ...[records, brokenLines, gluedRecords]) => {
    expect(linesOf(text)).toEqual({ records, brokenLines, gluedRecords });
  });

  it('reads many glued records as fast as they are long', () => {
    const count = 200_000;
    expect(linesOf('{"a":[{}]}'.repeat(count)).gluedRecords).toBe(count - 1);
  });

  it('looks for whole records behind torn ones in as much time as they are long', () => {
    const count = 200_000;
    expect(linesOf(`{"a":"${'{"a":[{}]}'.repeat(count)}`).records).toHaveLength(count);
    expect(linesOf(`{${'\\'.repeat(count)}${'"'.repeat(count)}}`).records).toEqual([]);
  });

  it('does not stumble over deep nesting', () => {
    const depth = 100_000;
    expect(linesOf(`{"a":1}${'['.repeat(depth)}`)).toMatchObject({ brokenLines: 1 });
    expect(linesOf(`{}${'['.repeat(depth)}${']'.repeat(depth)}`)).toMatchObject({
      gluedRecords: 1,
    });
  });
});

describe('json', () => {
  it.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['\uFEFF[1]', [1]],
    ['null', null],
    ['{"a":1}\n{"a":2}', undefined],
    ['{"a":1}\n \r\n', { a: 1 }],
    ['\n{"a":1}', { a: 1 }],
    ['[\n1]\n', [1]],
    ['', undefined],
  ])('of %j is %j', (text, expected) => {
    const file = createSourceFile('x', text);
    expect(file.json()).toEqual(expected);
    expect(file.json()).toBe(file.json());
  });
});
