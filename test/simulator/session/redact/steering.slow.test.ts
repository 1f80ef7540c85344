import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../../../src/engine/index.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload, workloads } from '../../../../src/simulator/scenario/workload/workload.ts';
import { STEERING_WORDS } from '../../../../src/simulator/session/calls/steering.ts';
import { step, toolIn, user } from '../../../support/history.ts';
import { assertReaching } from '../../../support/reaching.ts';
import { toolsOf } from '../tools-of.ts';
import { fileUseOf } from './file-use.ts';
import { newRedactor, sessionOf } from './redactors.ts';

const call = (id: string, name: string, input: unknown, output = 'x'): Part =>
  toolIn(id, { status: 'completed', input, output }, name);

function redactCall(name: string, input: unknown) {
  const redacted = newRedactor().redact(sessionOf([step('s', [call('t', name, input)])]));
  const [{ tool, state } = { tool: '', state: { input: undefined } }] = toolsOf(redacted);
  return { tool, input: state.input };
}

const FILES = ['src/kettle.ts', '/srv/tea/src/kettle.ts', 'lid.md', 'v2/2024/07.log'];
const OTHERS = ['kettle', 'teapot --catalog', './viewer', 'make -n'];

const bash = (command: string) => ['bash', { command }] as const;

/** Calls that read, change and search files, by tools, editors, commands and patches, and others that do not. */
const calls: fc.Arbitrary<readonly [name: string, input: unknown]> = fc
  .tuple(fc.constantFrom(...FILES), fc.constantFrom(...OTHERS))
  .chain(([file, other]) => {
    const kinds: readonly (readonly [string, unknown])[] = [
      ['read', { filePath: file }],
      ['mcp__disk__read_file', { path: file }],
      ['NotebookEdit', { notebook_path: file }],
      ['grep', { pattern: other, path: file }],
      ...['view', 'create', 'str_replace', 'insert', 'undo_edit'].map(
        (command) => ['str_replace_editor', { command, path: file }] as const,
      ),
      ['exec_command', { cmd: `sed -n '1,20p' ${file}` }],
      ['shell', { command: ['bash', '-lc', `cd src && nl -ba ${file}`] }],
      ['shell', { command: ['cat', file] }],
      ['run', { script: `head -5 ${file}` }],
      ['apply_patch', `*** Begin Patch\n*** Update File: ${file}\n+cat x\n*** End Patch`],
      ['apply_patch', { patchText: `*** Add File: ${file}` }],
      bash(`cat ${file} | head -20`),
      bash(`sed -i.bak 's/a/b/' "${file}"`),
      bash(`${other} ${file} 2>/dev/null`),
      bash(`${other} > ${file} 2>&1`),
      bash(`cat >> ${file} <<'END'\nrm ${file}\nEND`),
      bash(`git mv ${file} other.ts && rm -f ${file}`),
      bash(`sudo tail -n 3 ${file}; echo ${other}`),
      bash(`${other} ${file}`),
      bash(`cat $(${other})`),
    ];
    return fc.constantFrom(...kinds);
  });

describe('a redacted call', () => {
  it.each(['view', 'create', 'str_replace', 'insert', 'undo_edit'])(
    'still tells an editor to %s',
    (command) => {
      const { input } = redactCall('str_replace_editor', { command, path: 'src/kettle.ts' });
      expect(input).toEqual({
        command,
        path: expect.stringMatching(/^(?!src)\w{3}\/\w{6}\.\w\w$/),
      });
    },
  );

  it.each<[string, string, RegExp]>([
    [
      'keeps what reads a file, and replaces its path',
      "sed -n '1,5p' src/kettle.ts",
      /^sed -n '\d,\d[a-z]' (?!src)[a-z]{3}\/(?!kettle)[a-z]{6}\.(?!ts)[a-z]{2}$/,
    ],
    [
      'replaces a program that is not listed',
      'teapot lid.md',
      /^(?!teapot)[a-z]{6} (?!lid)[a-z]{3}\./,
    ],
    ['replaces a listed word that is no program', 'teapot cat', /^[a-z]{6} (?!cat)[a-z]{3}$/],
    [
      'replaces what editors are told, in a sentence',
      'view it',
      /^(?!view)[a-z]{4} (?!it)[a-z]{2}$/,
    ],
    ['replaces a verb in other letters', 'CAT lid.md', /^(?!CAT)[A-Z]{3} /],
  ])('%s', (_, command, pattern) => {
    expect((redactCall('bash', { command }).input as { command: string }).command).toMatch(pattern);
  });

  it('is never replaced by one that says something else of files', () => {
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
    const words = letters.flatMap((first) => letters.map((second) => first + second));
    const others = words.filter((word) => !STEERING_WORDS.includes(word));
    const { input } = redactCall('bash', { command: others.join(';') });
    const programs = (input as { command: string }).command.split(';');
    expect(programs).toHaveLength(others.length);
    expect(programs.filter((program) => STEERING_WORDS.includes(program))).toEqual([]);
  });

  it('replaces listed words under other names, in other calls and further down', () => {
    const input = { description: 'cat lid.md', note: { command: 'cat lid.md' } };
    expect(JSON.stringify(redactCall('bash', input).input)).not.toMatch(/cat/);
  });

  it.each<[string, string, RegExp]>([
    [
      'a tool of a server that reads files',
      'mcp__kettle__read_file',
      /^[a-z]{3}__(?!kettle)[a-z]{6}__read_file$/,
    ],
    [
      'no tool that does something else',
      'mcp__kettle__read_mind',
      /__(?!read)[a-z]{4}_(?!mind)[a-z]{4}$/,
    ],
    ['no digits between the letters of one', 'kettle__r4e1a8d', /^(?!kettle)\w{6}__(?!r4e1a8d)/],
  ])('keeps of its name %s', (_, name, pattern) => {
    expect(redactCall(name, {}).tool).toMatch(pattern);
  });

  it('counts a verb that stays as kept', () => {
    const redactor = newRedactor();
    const input = { command: 'view', path: 'src/kettle.ts' };
    redactor.redact(sessionOf([step('s', [call('t', 'str_replace_editor', input)])]));
    expect(redactor.report()).toMatchObject({ kept: { input: 1 }, replaced: { input: 1 } });
  });
});

describe('a redacted session', () => {
  it('reads, writes and reads again as many files as the original', () => {
    const totals = { reads: 0, writes: 0, reReads: 0, staleOutputs: 0 };
    assertReaching(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 12 }), (list) => {
        const twice = list.flatMap((each) => [each, each]);
        const messages = twice.map(([name, input], index) =>
          step(`s${index}`, [call(`t${index}`, name, input)]),
        );
        const session = sessionOf([user('u1', 'go'), ...messages]);
        const use = fileUseOf(session);
        expect(fileUseOf(newRedactor().redact(session))).toEqual(use);
        for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += use[key];
      }),
      { numRuns: 60 },
    );
    expect(Math.min(...Object.values(totals))).toBeGreaterThan(10);
  });

  it.each(Object.keys(workloads))('of the workload %s uses files as the original', (name) => {
    const session = generateSession(findWorkload(name), { seed: 1, index: 0 });
    const use = fileUseOf(session);
    expect(use.reads).toBeGreaterThan(0);
    expect(fileUseOf(newRedactor().redact(session))).toEqual(use);
  });
});
