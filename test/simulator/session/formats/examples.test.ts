import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message, Part } from '../../../../src/engine/index.ts';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import type { FormatName } from '../../../../src/simulator/session/formats.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { recording } from '../../../support/session-files.ts';
import { surestMatches } from '../../../support/session-matches.ts';

/** A recording that shows what is particular about a format, in one of four forms. */
interface Example {
  readonly title: string;
  readonly name?: string;
  readonly document?: unknown;
  readonly lines?: readonly unknown[];
  readonly text?: string;
  /** A small recording among the fixtures. */
  readonly file?: string;
  /** Texts of the files in the same folder, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** Each format has its examples in a `.json`, and in a `.txt` what is read from them. `vitest -u` writes the latter. */
const FOLDER = join(import.meta.dirname, '../../../fixtures/formats');
/** The recordings that the contract of formats damages. */
const SAMPLE = 'sample';
const NAME = 'x';
const formats = readdirSync(FOLDER).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);

describe.each(formats)('the examples of %s', (format) => {
  const examples = examplesOf(format);

  it('are read as before', async () => {
    const read = examples.map((example) =>
      [`# ${example.title}`, ...readExample(example, format), ''].join('\n'),
    );
    await expect(read.join('\n')).toMatchFileSnapshot(join(FOLDER, `${format}.txt`));
  });

  for (const example of examples.filter(({ title }) => title.startsWith(SAMPLE)))
    describeSessionFormat({ name: format as FormatName, text: textOf(example) });
});

it.each(['opencode-share', 'opencode-events'])(
  'the sample of %s is read as its export',
  (format) => {
    const [own, exported] = [format, 'opencode-export'].map((name) => {
      return readExample(examplesOf(name)[0]!, name);
    });
    expect(own).toEqual(exported);
  },
);

function examplesOf(format: string): readonly Example[] {
  return JSON.parse(readFileSync(join(FOLDER, `${format}.json`), 'utf8')) as readonly Example[];
}

function textOf({ document, lines, text, file }: Example): string {
  if (file !== undefined) return recording(file);
  if (lines !== undefined) return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return text ?? JSON.stringify(document);
}

/** The format that claims an example, unless it is its own, and its sessions or the sentence that refuses it. */
function readExample(example: Example, format: string): readonly string[] {
  const { name = NAME, beside = {} } = example;
  const files = Object.entries(beside).map(([each, text]) => ({
    name: each,
    readText: () => text,
  }));
  const surroundings = { filesIn: () => files };
  const text = textOf(example);
  const claims = surestMatches(createSourceFile(name, text, surroundings)).join(', ') || 'none';
  const read = () => readSessions(name, text, surroundings).flatMap(linesOf);
  return [...(claims === format ? [] : [`claimed by ${claims}`]), ...orRefusal(read)];
}

function orRefusal(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof HarnessError) return [error.message];
    throw error;
  }
}

/** A session line by line: what is known of it, its messages, and below each its parts; without what is usual. */
function linesOf({ messages, format: _format, ...session }: Session): readonly string[] {
  const { name, isOutputFinal, ...facts } = session;
  const head = { ...(name !== NAME && { name }), ...(!isOutputFinal && { isOutputFinal: 'no' }) };
  return [
    ...Object.entries({ ...head, ...facts })
      .filter(([, value]) => !isUntold(value))
      .map(([key, value]) => `${key}: ${textOfFact(value)}`),
    ...messages.flatMap((message, index) => {
      const { id } = messages.slice(0, index).findLast(({ role }) => role === 'user') ?? {};
      const lines = message.parts.map((part, at) => partLine(part, `${message.id}-${at + 1}`));
      return [messageLine(message, id), ...lines];
    }),
  ];
}

function textOfFact(value: unknown): string {
  return typeof value === 'string' ? value : toText(value instanceof Map ? [...value] : value);
}

/** JSON without quotes around keys and words. */
function toText(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"([\w-]+)":/g, '$1:');
}

function isUntold(value: unknown): boolean {
  const text = JSON.stringify(value instanceof Map ? [...value] : value);
  return value === false || text === '[]' || text === '{"dropped":{},"repaired":{}}';
}

/** A message with its time, its finish, its parent, if they are not the usual ones, and its usage by kind. */
function messageLine(
  { parts: _parts, role, id, createdAt, ...rest }: Message,
  promptId: string | undefined,
): string {
  const step = { usage: undefined, parentId: promptId, finish: undefined, ...rest };
  const { usage, parentId, finish = 'none', ...told } = step;
  const counts = Object.entries(usage ?? {}).flatMap(([kind, tokens]) =>
    tokens === 0 ? [] : `${kind} ${tokens}`,
  );
  return [
    `- ${role} ${id}`,
    ...(createdAt === 0 ? [] : [`at ${createdAt}`]),
    ...(role === 'user' || finish === 'stop' ? [] : [finish]),
    ...(parentId === promptId ? [] : [`answers ${parentId}`]),
    ...(Object.keys(told).length === 0 ? [] : [toText(told)]),
    ...(usage === undefined ? [] : ['usage', ...counts]),
  ].join(' ');
}

function partLine(part: Part, usualId: string): string {
  const { type, id, ...told } = part;
  const start = id === usualId ? ' ' : `  #${id}`;
  if (part.type === 'text') {
    const { synthetic: _synthetic, type: _type, text: said, ...rest } = part;
    const text = /^\S(.*\S)?$/.test(said) ? said : toText(said);
    const more = Object.keys(rest).length > 1 ? ` ${toText({ ...rest, id: undefined })}` : '';
    return `${start} ${part.synthetic ? 'injected' : type} ${text}${more}`;
  }
  if (part.type !== 'tool') return `${start} ${type} ${toText(told)}`;
  const { callId, tool, state } = part;
  const { status, ...rest } = state;
  return `${start} ${status} ${tool} ${callId} ${toText(rest)}`;
}
