import { describe, expect, it } from 'vitest';
import { hasColors, terminalOf } from '../../../src/cli/process/io.ts';
import { captureIo, type CapturedIoOptions } from '../../support/captured-io.ts';

describe('hasColors', () => {
  it.each<[string, CapturedIoOptions, boolean]>([
    ['a pipe', {}, false],
    ['a terminal', { isTTY: true }, true],
    ['a terminal that has none', { isTTY: true, env: { TERM: 'dumb' } }, false],
    ['a terminal of somebody who wants none', { isTTY: true, env: { NO_COLOR: '1' } }, false],
    ['an empty NO_COLOR', { isTTY: true, env: { NO_COLOR: '' } }, true],
    ['a pipe of somebody who wants them', { env: { FORCE_COLOR: '1' } }, true],
    ['an empty FORCE_COLOR', { env: { FORCE_COLOR: '' } }, false],
    ['a terminal where they are forced off', { isTTY: true, env: { FORCE_COLOR: '0' } }, false],
    ['a CI log', { env: { CI: '1' } }, false],
    ['somebody who wants both', { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, false],
  ])('decides for %s', (_, options, expected) => {
    expect(hasColors(captureIo(options))).toBe(expected);
  });
});

describe('terminalOf', () => {
  const terminal = { isTTY: true, columns: 100 };

  it.each<[string, CapturedIoOptions, string | undefined, ReturnType<typeof terminalOf>]>([
    ['a terminal', terminal, undefined, { colors: true, terminalColumns: 100 }],
    ['a terminal that says it has none', { isTTY: true, columns: 0 }, undefined, { colors: true }],
    ['a pipe of a terminal', { columns: 100 }, undefined, { colors: false }],
    ['a file', terminal, 'report.txt', { colors: false }],
  ])('tells what fits into %s', (_, options, out, expected) => {
    expect(terminalOf(captureIo(options), out)).toEqual(expected);
  });
});
