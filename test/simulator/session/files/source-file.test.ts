import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retold } from '../../../support/retold.ts';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';

const linesOf = (text: string) => createSourceFile('x', text).lines();

describe('lines', () => {
  it('reads what it read', async () => {
    const path = join(import.meta.dirname, '../../../fixtures/source-lines.txt');
    const text = retold(path, (line) => {
      return [JSON.stringify(linesOf(JSON.parse(line) as string))];
    });
    await expect(text).toMatchFileSnapshot(path);
  });

  it('reads many glued records as fast as they are long', () => {
    const count = 200_000;
    expect(linesOf('{"a":[{}]}'.repeat(count)).gluedRecords).toBe(count - 1);
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
