import { HarnessError } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import { readTextFile } from '../../simulator/text-file.ts';
import { readSaved } from '../../simulator/report/saved/read-saved.ts';
import type { NamedCheck } from '../../simulator/sweep/gate/merge-checks.ts';

/** What can be merged, as errors say it. */
export const SHARD = 'a shard of a sweep or of a check';

/** A report of `check` in JSON, which its shards are; throws where a file is none. */
export function readCheckReport(file: string): NamedCheck {
  const saved = readSaved(file, readText(file), { what: SHARD });
  if (saved.kind === 'check') return { name: file, report: saved.report };
  const message = `Expected ${quoted(file)} to be ${SHARD}, got what another command has written.`;
  throw new HarnessError('BAD_RESULTS', message);
}

function readText(file: string): string {
  return readTextFile(file, (reason, cause) => {
    const message = `Expected ${quoted(file)} to be ${SHARD}, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}
