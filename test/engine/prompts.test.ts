import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { instructions, REFUSAL_NOTE, resumeTexts, systemPrompts } from '../../src/engine/index.ts';

const DOCUMENTS = resolve(import.meta.dirname, '../../../shared/design-documents');

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const hashes = (table: Record<string, string>) =>
  Object.fromEntries(Object.entries(table).map(([name, text]) => [name, hash(text)]));

describe('the prompts', () => {
  it('never change: a correction is a new name', () => {
    expect({
      systemPrompts: hashes(systemPrompts),
      instructions: hashes(instructions),
      resumeTexts: hashes(resumeTexts),
      refusalNote: hash(REFUSAL_NOTE),
    }).toMatchInlineSnapshot(`
      {
        "instructions": {
          "v1.0.123": "f5d806636d20c62baaf769b53a780b55624159f18da8f94293321ad737f5e9c9",
          "v1.1.57": "34ea7e10c83556231782fcf33999582681dc397cb9d49e83ba2ac4d52477001d",
        },
        "refusalNote": "9ed5e2efe0f4372747b0759a85ae7b8f8c0c6217ef575070d4c0f701d1b58ef4",
        "resumeTexts": {
          "v1.0.69": "051a24dde4bd0e8dc79a28386b82f94c0c8487d331263bb4199819ced8d443ed",
          "v1.1.57": "80a62c1aa08786982ccca7e60fa1d71e6e807bd4af669df041041c5ffb17b0a0",
        },
        "systemPrompts": {
          "v1.0.154": "47e7943ff3746983fca3d68832562b96554b7057285ec5b2830dfc3037477cca",
          "v1.1.57": "6f401ab63f1ff48c5067f697e194933ca39d867d92c9810a2db7a53c2093e1e9",
        },
      }
    `);
  });

  it.skipIf(!existsSync(DOCUMENTS))(
    'stand in the design documents word by word (skipped where those are not at hand)',
    () => {
      const documents = readdirSync(DOCUMENTS)
        .map((name) => words(readFileSync(join(DOCUMENTS, name), 'utf8')))
        .join('\n');
      const [firstSentence] = REFUSAL_NOTE.split('. ');
      const texts = [systemPrompts, instructions, resumeTexts].flatMap((table) =>
        Object.values<string>(table),
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
