import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from '../../../../src/simulator/session/format.ts';
import type { UnpackedSample } from '../../../contracts/session-format.ts';

/** Any object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** A session as OpenCode exports it. */
export interface Exported {
  readonly info: Fields;
  readonly messages: readonly { readonly info: Fields; readonly parts: readonly Fields[] }[];
}

/** The session that the fixture of the export holds, with a session for each of its messages and parts. */
export function exportedFixture(): Exported {
  const file = join(import.meta.dirname, '../../../fixtures/sessions/opencode-export.json');
  const { info, messages } = JSON.parse(readFileSync(file, 'utf8')) as Exported;
  const sessionID = info['id'];
  return {
    info,
    messages: messages.map((message) => ({
      info: message.info,
      parts: message.parts.map((part) => ({ ...part, sessionID, messageID: message.info['id'] })),
    })),
  };
}

/** The session as files of a storage tree, by path; its own file first. */
export function toFiles({ info, messages }: Exported): ReadonlyMap<string, string> {
  const sessionId = String(info['id']);
  const files = new Map([[`session/p1/${sessionId}.json`, JSON.stringify(info)]]);
  for (const message of messages) {
    const id = String(message.info['id']);
    files.set(`message/${sessionId}/${id}.json`, JSON.stringify(message.info));
    for (const part of message.parts)
      files.set(`part/${id}/${String(part['id'])}.json`, JSON.stringify(part));
  }
  return files;
}

/** Files in one text: the recording itself, then a line for each of the others with its path. */
export function packFiles(files: ReadonlyMap<string, string>): string {
  const [[, own] = ['', ''], ...others] = files;
  return [own, ...others.map(([path, text]) => `${path}\t${text}`)].join('\n');
}

/** Reverses `packFiles`. */
export function unpackFiles(packed: string): UnpackedSample {
  const [text = '', ...lines] = packed.split('\n');
  const files = lines.map((line): [string, string] => {
    const tab = line.indexOf('\t');
    return [line.slice(0, tab), line.slice(tab + 1)];
  });
  return { text, surroundings: surroundingsIn(new Map(files)) };
}

function surroundingsIn(files: ReadonlyMap<string, string>): Surroundings {
  return {
    filesIn: ({ names }) => {
      const folder = `${names.join('/')}/`;
      const inside = [...files].filter(([path]) => path.startsWith(folder));
      return inside.flatMap(([path, text]) => {
        const name = path.slice(folder.length);
        return name.includes('/') ? [] : [{ name, readText: () => text }];
      });
    },
  };
}
