import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { recordOf } from '../../../../src/simulator/session/reading/any-keys.ts';

const numbers = recordOf(z.number());

describe('a map whose keys are anybody’s', () => {
  it('has each of them as its own', () => {
    const text = '{"a":1,"__proto__":2,"=__proto__":3,"constructor":4,"":5}';
    const read = numbers.parse(JSON.parse(text));
    expect(JSON.stringify(read)).toBe(text);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('has values of one kind under each of them', () => {
    expect(numbers.safeParse(JSON.parse('{"__proto__":"2"}')).success).toBe(false);
  });

  it.each([[[]], [null], ['text'], [1], [undefined]])('is no %j', (value) => {
    expect(numbers.safeParse(value).success).toBe(false);
  });

  it('is a map of values to an editor', () => {
    expect(z.toJSONSchema(numbers)).toMatchObject({
      type: 'object',
      additionalProperties: { type: 'number' },
    });
  });
});
