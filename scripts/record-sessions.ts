import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { renderExport } from './recording/export.ts';
import { measureSession, renderFigures } from './recording/figures.ts';
import { recordSession } from './recording/record.ts';
import type { SessionScript } from './recording/script.ts';
import { sessionScripts } from './recording/sessions/index.ts';

const FOLDER = resolve(import.meta.dirname, '../scenarios/recorded');
const isCheck = process.argv.includes('--check');

const recordings = sessionScripts.map((script, index) => recordOne(script, index + 1));
console.log(renderFigures(recordings.map((recording) => recording.figures)));
const different = recordings.filter((recording) => recording.isDifferent);
for (const { path } of different) console.log(`${isCheck ? 'differs' : 'written'}: ${path}`);
if (isCheck && different.length > 0) process.exitCode = 1;

function recordOne(script: SessionScript, number: number) {
  const session = recordSession(script, `ses_${String(number).padStart(4, '0')}`);
  const text = renderExport(session);
  const path = join(FOLDER, `${script.name}.json`);
  const isDifferent = text !== readIfThere(path);
  if (!isCheck && isDifferent) writeFileSync(path, text);
  return { path: `scenarios/recorded/${script.name}.json`, isDifferent, figures: measureSession(script.name, session, text) };
}
