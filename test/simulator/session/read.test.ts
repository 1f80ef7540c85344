import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import { readSessions } from '../../../src/simulator/session/read.ts';

const NAMES = "'list session-formats' names the formats";

describe('readSessions', () => {
  it.each<[string, string]>([
    ['', 'an empty file'],
    [' \n\t', 'an empty file'],
    ['hello', 'text that is not JSON'],
    ['<!doctype html>\n{}\n', 'an HTML page'],
    ['\n<html lang="en">\n{}\n', 'an HTML page'],
    [gzipSync('{}').toString(), 'a packed file'],
    ['{"a":1,"b":2}', 'a JSON object with keys "a", "b"'],
    ['{}', 'a JSON object with no keys'],
    ['[]', 'an empty JSON array'],
    ['[1]', 'a JSON array'],
    ['[{"a":1}]', 'a JSON array of objects with keys "a"'],
    ['null', 'a JSON null'],
    ['12', 'a JSON number'],
    ['{"a":1}\n{"b":2}', 'JSON lines that begin with a JSON object with keys "a"'],
    [
      '{"a":1}\n{"b":',
      'JSON lines that begin with a JSON object with keys "a", and 1 line that is no JSON',
    ],
    ['{"messages":[\n{"a":1},\n{"a":2},\n{"a":', 'a JSON document that is not whole'],
    [
      '{"a":1}\n{"a":\n{"b"',
      'JSON lines that begin with a JSON object with keys "a", and 2 lines that are no JSON',
    ],
    [
      '{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}',
      'a JSON object with keys "a", "b", "c", "d", "e", "f" and 2 more',
    ],
    [`{"${'k'.repeat(30)}":1}`, `a JSON object with keys "${'k'.repeat(24)}…"`],
    ['{"\\u001b[2J\\u202e\\n":1}', 'a JSON object with keys "\\u{1b}[2J\\u{202e}\\u{a}"'],
    ['{"__proto__":1}', 'a JSON object with keys "__proto__"'],
  ])('refuses %j', (text, got) => {
    const expected = `Expected 'tea.json' to be a recorded session (${NAMES}), got ${got}.`;
    expect(() => readSessions('tea.json', text)).toThrow(new HarnessError('BAD_SESSION', expected));
  });

  it('prints no control characters of a name', () => {
    expect(() => readSessions('a\u001b\n.json', '')).toThrow("'a\\u001b\\u000a.json'");
  });
});
