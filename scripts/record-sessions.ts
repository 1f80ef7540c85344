import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { renderExport } from './recording/export.ts';
import { measureFile, renderFigures } from './recording/figures.ts';
import { recordSession } from './recording/record.ts';
import type { SessionScript } from './recording/script.ts';
import { sessionScripts } from './recording/sessions/index.ts';

interface Recording {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'scenarios/recorded');
const ID_DIGITS = 4;

const isCheck = process.argv.includes('--check');
const recordings = sessionScripts.map(record);
const changed = recordings.filter(({ path, text }) => readStored(path) !== text);
for (const { path, text } of changed) {
  if (!isCheck) writeFileSync(path, text);
  console.log(`${isCheck ? 'differs' : 'written'}: ${relative(ROOT, path)}`);
}
console.log(renderFigures(await Promise.all(recordings.map(measure))));
if (isCheck && changed.length > 0) process.exitCode = 1;

function record(script: SessionScript, index: number): Recording {
  const id = `ses_${String(index + 1).padStart(ID_DIGITS, '0')}`;
  const { name } = script;
  return {
    name,
    path: join(FOLDER, `${name}.json`),
    text: renderExport(recordSession(script, id)),
  };
}

function readStored(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function measure({ name, text }: Recording) {
  return measureFile(name, text);
}
