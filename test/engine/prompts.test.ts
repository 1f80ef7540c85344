import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { instructions, REFUSAL_NOTE, resumeTexts, systemPrompts } from '../../src/engine/index.ts';
import { frameworkInstructions } from '../../src/engine/prompts/framework-instructions.ts';
import { peerInstructions } from '../../src/engine/prompts/peer-instructions.ts';

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
  it('never change: a correction is a new name', () => {
    expect({
      systemPrompts: hashes(systemPrompts),
      instructions: hashes(instructions),
      resumeTexts: hashes(resumeTexts),
      refusalNote: hash(REFUSAL_NOTE),
    }).toMatchInlineSnapshot(`
      {
        "instructions": {
          "aider": "8731ef46bdc4ea0b4da0f606802e46969f935bae4b09207756ab64517d5e5efb",
          "anthropic-compact": "1824f4d3770b22a5add928e746efb748de1a3a6a3c423aa7d12faa1559236df5",
          "claude-code": "31c5d73cf1b6e1cbcb6f244a2245acf5ac57fb671b34cb30d23bd3c9bef42bed",
          "cline": "a1eb79ffb8288d42e9cf6eaf9c3d5e1d16ac58dc42ae9c09dc83d652c6936de8",
          "codex-local": "dc15bac8240cfe8fdb49c6188aa0e87f09b2659fd1df4836c6a8f9c3849c4aee",
          "crush": "d4bf69e8c019bc8a645a70e5ea0565b47b8d6a1d0cdd7a1146a221e733ec2649",
          "document-004": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "gemini-cli": "9e017612313a33e8aa29d7fa1987a9fe9b2d14412f3caf00db73bf39b855b43e",
          "goose": "c45995df4653177883a9aabc899ebbe5ac8fd81ba1deed3cf30d12379713b73e",
          "kimi-cli": "25895a9ff51dfc21e8bbd8e37fca01acaa4d3e96a2d62edb606f24497ae6b8ed",
          "langchain": "e79b09dae8ec8f18e329f1628ee06662e8d08d2c9c1ebba348fef920315a02e3",
          "letta": "50ef1a124ae5467d35eb2e21d4bfb537d48821cb6933d9a393b4373745ee7151",
          "mastra": "d414b6bac4526f570938bb358f0467c31c90c10cb5779eb8d22839bc77bc79af",
          "openhands": "5e40a23c505302ec6ae7c32881184d7774e068209140421bfdb8df416078ea7b",
          "pi": "6d1a494f7d93b0a405aa19fb6303af53024cd6ddf28f9484650acaee88c69d36",
          "plain": "6976fa24a4c293939843bd5308a7a626d861ab7d49b75d828dce6d75314768eb",
          "qwen-code": "c9abcc95c230db165fe205cc818a2fe625a03409ade1e768702a3ae992b0e231",
          "v0.8.0": "4b7aa58b474ae410758e5d440101542a2cef527da44e4aa52fff4911e88a4cc9",
          "v1.0.123": "f5d806636d20c62baaf769b53a780b55624159f18da8f94293321ad737f5e9c9",
          "v1.1.57": "34ea7e10c83556231782fcf33999582681dc397cb9d49e83ba2ac4d52477001d",
          "v1.14.21": "51f1bed73064934bfd5e09d18e3e124eb211b64ffed0597168bbbfc914a90544",
          "v1.17.13": "20270077ed5eff3b0c9f1bf887beb9619325075728565142792ed3c1ec721eb0",
          "v1.17.15": "37b25df132196c75a4436cbb20dd733aa297b9d78abdfd4f093465205e8b945b",
          "v1.18.17": "2e04bd704ecf61557cfc157d465d3078790302d6cb01f304d46bf2ed8ffb18d4",
          "v1.3.7": "e2957722fb3a5186b6155d55a049a52fb24a975162a9d3b815670fb6c089cc76",
          "v2.0": "679a105ef4a584c272de073e19c67d86c1cd2e8e874be6685c5e98b62babbb92",
        },
        "refusalNote": "9ed5e2efe0f4372747b0759a85ae7b8f8c0c6217ef575070d4c0f701d1b58ef4",
        "resumeTexts": {
          "crush": "5497ec938a6cc80aadb91b2f2fa0f5038c33bb645a5d4b15e2ada4c875aebb01",
          "none": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "v0.10.0": "eff0054762a29280b2408915a489d3e61fcfb0f180fd525e5bb07d6f13f3c141",
          "v1.0.69": "051a24dde4bd0e8dc79a28386b82f94c0c8487d331263bb4199819ced8d443ed",
          "v1.1.57": "80a62c1aa08786982ccca7e60fa1d71e6e807bd4af669df041041c5ffb17b0a0",
        },
        "systemPrompts": {
          "document-000": "46bec5402816f01df631239e204a8ff24df89e0fc0eca2523bde80ce252f445a",
          "document-004": "6b07b8b8586a745b7b07ae36f90997791e9e4115fa15f1f88c3af59e9fb7c316",
          "v0.8.0": "2057b159c22c8a14bd92d56446659168203b0ae11e3c674e692646321eaca089",
          "v1.0.154": "47e7943ff3746983fca3d68832562b96554b7057285ec5b2830dfc3037477cca",
          "v1.1.57": "6f401ab63f1ff48c5067f697e194933ca39d867d92c9810a2db7a53c2093e1e9",
          "v1.14.21": "2e92634227df5278d51b994030f851add937b6b290b21e43083994ee48d96de4",
          "v1.3.14": "d9b412bced8c09539b593a72c0d86d8eff93a3b3c5eab077b77b804c2cedda53",
          "v2.0": "84fd8435be24bfbb30e4d37d6868b0b58a074154a3daaa47ff87b27506abd4f8",
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
