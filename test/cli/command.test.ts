import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import {
  type Call,
  defineCommand,
  flag,
  option,
  repeated,
  reportOptions,
  required,
  variadic,
} from '../../src/cli/command.ts';
import { EXIT } from '../../src/cli/process/io.ts';
import { captureIo } from '../support/captured-io.ts';
import { createFolder } from '../support/session-files.ts';

const FORMATS = { table: String, json: JSON.stringify };
const OPTIONS = {
  size: option('--size <n>', 'a size', '3'),
  name: option('--name <text>', 'a name'),
  set: repeated('--set <key=value>', 'settings', ['a=1']),
  fit: variadic('--fit <files...>', 'files'),
  dryRun: flag('--dry-run', 'nothing'),
  ...reportOptions(FORMATS),
};

/** A command line of a command that ends as told, with what it was given. */
async function run(
  argv: readonly string[],
  end: (call: Call, out: string | undefined) => number | undefined = () => EXIT.done,
) {
  const io = captureIo();
  const seen: { args?: object; options?: object; given?: readonly string[]; code?: number } = {};
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  const add = defineCommand({
    name: 'try',
    describe: 'Tries.',
    arguments: { '<first>': 'one', '[rest...]': 'others' },
    options: OPTIONS,
    examples: '',
    run: (args, options, call) => {
      Object.assign(seen, { args, options, given: call.given });
      return end(call, options.out);
    },
  });
  add(program, io, (code) => {
    seen.code = code;
  });
  await program.parseAsync(['try', ...argv], { from: 'user' });
  return { ...seen, ...io.written };
}

describe('defineCommand', () => {
  it('gives arguments and options by name, those that are absent by their defaults', async () => {
    expect(await run(['one'])).toMatchObject({
      args: { first: 'one', rest: [] },
      options: { size: '3', set: ['a=1'] },
      given: [],
      code: EXIT.done,
    });
    const line = ['one', 'two', 'three', '--size', '4', '--set', 'b=1', '--set', 'c=2'];
    expect(await run([...line, '--dry-run', '--fit', 'x', 'y'])).toMatchObject({
      args: { first: 'one', rest: ['two', 'three'] },
      options: { size: '4', set: ['b=1', 'c=2'], dryRun: true, fit: ['x', 'y'] },
      given: ['--size', '--set', '--fit', '--dry-run'],
    });
  });

  it('refuses a command line without an option that has to be given', async () => {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    defineCommand({
      name: 'try',
      describe: 'Tries.',
      options: { out: required('--out <file>', 'a file') },
      examples: '',
      run: () => EXIT.done,
    })(program, captureIo(), () => undefined);
    await expect(program.parseAsync(['try'], { from: 'user' })).rejects.toThrow(
      "required option '--out <file>' not specified",
    );
  });

  it.each<[number | undefined, number]>([
    [undefined, EXIT.interrupted],
    [EXIT.inconclusive, EXIT.inconclusive],
  ])('ends with %s as %d', async (result, code) => {
    expect((await run(['one'], () => result)).code).toBe(code);
  });

  it('ends a report with the code of its command, unless it cannot be written', async () => {
    const end = (call: Call, out?: string) => {
      const report = call.openReport(FORMATS, 'format');
      if (out?.endsWith('taken.json')) mkdirSync(out);
      return report.finish(`${report.format(7)}\n`, EXIT.inconclusive);
    };
    expect(await run(['one'], end)).toMatchObject({ code: EXIT.inconclusive, stdout: '7\n' });
    const folder = createFolder();
    const whole = await run(['one', '--out', join(folder, 'a.json')], end);
    expect(whole).toMatchObject({ code: EXIT.inconclusive, stdout: '' });
    const broken = await run(['one', '--out', join(folder, 'taken.json')], end);
    expect(broken).toMatchObject({ code: EXIT.failed, stdout: '' });
    expect(broken.stderr).toContain('taken.json');
  });
});
