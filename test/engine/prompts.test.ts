import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { instructions, REFUSAL_NOTE, resumeTexts, systemPrompts } from '../../src/engine/index.ts';
import { frameworkInstructions, peerInstructions } from '../../src/engine/prompts.ts';

const DOCUMENTS = resolve(import.meta.dirname, '../../../shared/design-documents');

/** Releases and other agents of whose texts only the outline is known, so that the text is the project's own. */
const OWN = new Set([
  'v0.8.0',
  'v0.10.0',
  'v1.3.7',
  'v1.3.14',
  'v1.14.21',
  'v1.17.13',
  'v1.17.15',
  'v1.18.17',
  'v2.0',
  ...Object.keys(peerInstructions),
  ...Object.keys(frameworkInstructions),
]);

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hashes = (table: Record<string, string>) =>
  Object.fromEntries(Object.entries(table).map(([name, text]) => [name, hash(text)]));

describe('the prompts', () => {
  it('never change: a correction is a new name', async () => {
    await expect({
      systemPrompts: hashes(systemPrompts),
      instructions: hashes(instructions),
      resumeTexts: hashes(resumeTexts),
      refusalNote: hash(REFUSAL_NOTE),
    }).toMatchFileSnapshot('../fixtures/snapshots/engine-prompts.txt');
  });

  it.skipIf(!existsSync(DOCUMENTS))(
    'stand in the design documents word by word (skipped where those are not at hand)',
    () => {
      const documents = readdirSync(DOCUMENTS)
        .map((name) => words(readFileSync(join(DOCUMENTS, name), 'utf8')))
        .join('\n');
      const [firstSentence] = REFUSAL_NOTE.split('. ');
      const texts = [systemPrompts, instructions, resumeTexts].flatMap((table) =>
        Object.entries<string>(table).flatMap(([name, text]) => (OWN.has(name) ? [] : [text])),
      );
      const missing = [...texts, firstSentence!].filter((text) => !documents.includes(words(text)));
      expect(missing).toEqual([]);
    },
  );
});

/** A text without its line breaks, which the documents set as they like. */
function words(text: string): string {
  return text.split(/\s+/).join(' ').trim();
}
