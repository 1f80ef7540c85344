import * as fc from 'fast-check';
import { isReason } from '../../../../src/simulator/session/redact/allowed.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import type { Part } from '../../../../src/engine/index.ts';
import { step, text, tool, toolIn, user } from '../../../support/history.ts';
import { sessionOf } from './redactors.ts';

const hex = fc.stringMatching(/^[0-9a-f]{40}$/);
/** Readers' own words stay in the reasons of reports, and tell nobody anything. */
const word = fc.stringMatching(/^[a-z]{6,12}$/).filter((name) => !isReason(name));
const alphanumeric = (length: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${length}}$`));
/** Texts that nobody is to see, of many kinds. */
export const secrets: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(word, word).map(([name, file]) => `/home/${name}/${file}.ts`),
  fc.tuple(word, word).map(([name, file]) => `C:\\Users\\${name}\\${file}`),
  fc.tuple(word, word).map(([name, file]) => `file:///Users/${name}/${file}`),
  fc.tuple(word, word).map(([host, path]) => `https://${host}.example.org/${path}?q=1`),
  fc.tuple(word, word).map(([name, host]) => `${name}@${host}.de`),
  alphanumeric(32).map((key) => `sk-ant-${key}`),
  alphanumeric(36).map((key) => `ghp_${key}`),
  fc.stringMatching(/^[A-Z0-9]{16}$/).map((key) => `AKIA${key}`),
  fc.tuple(alphanumeric(20), alphanumeric(24)).map(([a, b]) => `eyJhbGciOiJIUzI1NiJ9.${a}.${b}`),
  alphanumeric(64).map((key) => `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`),
  word.map((name) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`),
  word.map((name) => `${name}-laptop.local`),
  fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.${a}.${b}.77`),
  fc.stringMatching(/^\+49 151 [0-9]{8}$/),
  alphanumeric(40).map((data) => `${data}==`),
  hex,
  fc.uuid(),
  fc.stringMatching(/^[一-龥]{8,12}$/),
  fc.stringMatching(/^[а-я]{8,12}$/),
);
/** Text before a secret. */
export const around = fc.constantFrom('', 'see ', '"', 'user=', '\n', '\\n', '<a>', '(', '**');

/** A session with a secret in every place that takes a string. */
export function plant(secret: string, before: string): Session {
  const planted = `${before}${secret} and so on`;
  const file = {
    type: 'file',
    id: `f-${secret}`,
    mime: `image/${secret}`,
    filename: secret,
    url: `data:${secret};name=${secret};base64,${secret}`,
  } as const;
  const input = {
    command: planted,
    [secret]: { [`__proto__`]: secret, list: [secret, [planted]] },
    ...JSON.parse(`{"__proto__":${JSON.stringify(secret)}}`),
  };
  const parts: readonly Part[] = [
    text(`p-${secret}`, planted),
    { type: 'reasoning', id: 'r', text: planted, signedBy: secret },
    { ...file, url: `file://${secret}` },
    {
      ...tool('t1', planted, { attachments: [file] }),
      callId: secret,
      tool: `mcp__${secret}`,
      state: { status: 'completed', input, output: planted, attachments: [file] },
    },
    toolIn('t2', { status: 'error', input: secret, error: planted, partialOutput: planted }),
    { type: 'step-start', id: 's', snapshot: secret },
    { type: 'step-finish', id: 'e', reason: secret, snapshot: secret },
    { type: 'compaction', id: 'c', auto: true, tailStartId: secret },
    { type: 'subtask', id: 'k', prompt: planted },
    { ...text('x', planted), [secret]: planted, extra: { deep: [secret] } } as Part,
    { type: secret, id: 'y', text: planted } as unknown as Part,
  ];
  const message = step(secret, parts, {
    parentId: secret,
    finish: secret,
    model: `lab/${secret}`,
    error: { name: secret, message: planted },
  });
  return sessionOf([user('u1', planted), message], {
    name: `${secret}#2`,
    format: secret,
    sessionId: secret,
    parentSessionId: secret,
    model: secret,
    system: planted,
    recordedCompactions: [
      { kind: 'full', messageIndex: 1, summary: planted, clearedCallIds: [secret] },
    ],
    recordedCosts: new Map([[secret, { inputNanoUsd: 123_456_789, outputNanoUsd: 2 }]]),
    report: { dropped: { [`unknown record "${secret}"`]: 1 }, repaired: { [secret]: 2 } },
  });
}

/** Public beginnings of URLs and media types. */
const PUBLIC = /^(?:https?:\/\/|file:\/\/|image\/)/;
const WINDOW = 8;
/** Fewer letters than that stand behind the same marks by chance. */
export const SPOKEN = /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){4}/u;
/** A piece of text as it stands in JSON. */
export const inJson = (piece: string): string => JSON.stringify(piece).slice(1, -1);
/** All pieces of a secret that would give it away. */
export const windowsOf = (secret: string): readonly string[] => {
  const own = secret.replace(PUBLIC, '');
  const count = Math.max(0, own.length - WINDOW + 1);
  return Array.from({ length: count }, (_, index) => own.slice(index, index + WINDOW));
};
