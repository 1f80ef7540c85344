import { Buffer } from 'node:buffer';
import { policies } from '../src/engine/index.ts';
import { countPart } from '../src/simulator/replay/count.ts';
import { generateSession } from '../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../src/simulator/scenario/workload/workload.ts';
import { discoverSessionFiles } from '../src/simulator/session/files/discover.ts';
import { loadSessions } from '../src/simulator/session/load.ts';
import type { Session } from '../src/simulator/session/session.ts';

const WORKLOADS = ['claude-code', 'codex', 'opencode', 'pi'];
const SEED = 1;
/** Enough to tell speeds apart, and little enough for the slow one. */
const MAX_CHARS_OF_KIND = 400_000;
const MEGABYTE = 1_000_000;
const HUNDRED_THOUSAND = 100_000;
const A_CODE = 97;
const FIRST_IDEOGRAPH = 0x4e00;

/** Texts of generated sessions, each once: the same ones everywhere. */
export function generatedTexts(): readonly string[] {
  return WORKLOADS.flatMap((name) =>
    firstTexts([generateSession(findWorkload(name), { seed: SEED, index: 0 })]),
  );
}

/** Texts of the sessions in the folders, some of each folder, each once. */
export function recordedTexts(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => firstTexts(readSessions(folder)));
}

/** A megabyte of text that is hard to split or to merge, by kind. */
export const hardTexts = {
  'one letter': () => 'a'.repeat(MEGABYTE),
  '100,000 letters': () => `${'a'.repeat(HUNDRED_THOUSAND)} `.repeat(MEGABYTE / HUNDRED_THOUSAND),
  'scattered letters': () => charactersOf(MEGABYTE, (i) => A_CODE + ((i * i * 31) % 26)),
  base64: () => randomBytes((MEGABYTE * 3) / 4).toString('base64'),
  hexadecimal: () => randomBytes(MEGABYTE / 2).toString('hex'),
  'minified code': () => minifiedCode(MEGABYTE),
  spaces: () => ' '.repeat(MEGABYTE),
  'indented lines': () => `${' '.repeat(HUNDRED_THOUSAND)}x\n`.repeat(MEGABYTE / HUNDRED_THOUSAND),
  'line breaks': () => '\r\n'.repeat(MEGABYTE / 2),
  ideographs: () => charactersOf(MEGABYTE / 3, (i) => FIRST_IDEOGRAPH + ((i * 7_919) % 20_000)),
  emoji: () => '\u{1f600}'.repeat(MEGABYTE / 4),
  punctuation: () => '=-_*/'.repeat(MEGABYTE / 5),
} satisfies Record<string, () => string>;

function* readSessions(folder: string): Generator<Session, void, void> {
  for (const loaded of loadSessions(discoverSessionFiles([folder]).files)) {
    if (loaded.state === 'read') yield loaded.session;
  }
}

function firstTexts(sessions: Iterable<Session>): readonly string[] {
  const texts = new Set<string>();
  let chars = 0;
  for (const session of sessions) {
    for (const text of textsOf(session)) {
      if (chars >= MAX_CHARS_OF_KIND) return [...texts];
      if (!texts.has(text)) chars += text.length;
      texts.add(text);
    }
  }
  return [...texts];
}

/** The texts that a replay of the session would count. */
function textsOf({ messages }: Session): readonly string[] {
  const texts: string[] = [];
  const options = { render: policies.none.render, count: (text: string) => texts.push(text) };
  for (const { parts, role } of messages) for (const part of parts) countPart(part, role, options);
  return texts;
}

function charactersOf(length: number, codeAt: (index: number) => number): string {
  return Array.from({ length }, (_, index) => String.fromCodePoint(codeAt(index))).join('');
}

/** The same bytes every time, without a pattern that a merge could use. */
function randomBytes(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

function minifiedCode(length: number): string {
  let code = '';
  for (let index = 0; code.length < length; index++) {
    code += `function f${index}(a,b){return a.x[${index}]?b:c(${index % 977},"s${index}")};var g=!0;`;
  }
  return code.slice(0, length);
}
