import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';

const FOLDER = resolve(import.meta.dirname, '../catalog/tokens');

// The length of every token in the order of their ranks, then the bytes of all: a module of 200,000 texts takes four
// times as long to load.
for (const [name, encoding] of Object.entries({ cl100k_base: cl100k, o200k_base: o200k })) {
  const [, _firstRank, ...tokens] = encoding.bpe_ranks.split(' ');
  const bytes = tokens.map((token) => Buffer.from(token, 'base64'));
  const lengths = Buffer.from(bytes.map(({ length }) => length));
  writeFileSync(resolve(FOLDER, `${name}.bin`), Buffer.concat([lengths, ...bytes]));
}
