import { readFileSync } from 'node:fs';
import { HarnessError } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import { readSaved } from '../../simulator/report/saved/read-saved.ts';
import { describeFault } from '../../simulator/system-fault.ts';
import type { NamedCheck } from '../../simulator/sweep/gate/merge-checks.ts';

/** A report of `check` in JSON; throws where a file is none. */
export function readCheckReport(file: string): NamedCheck {
  const saved = readSaved(file, readText(file));
  if (saved.kind === 'check') return { name: file, report: saved.report };
  const message = `Expected ${quoted(file)} to be a JSON report of 'check', got one of another command.`;
  throw new HarnessError('BAD_RESULTS', message);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `Expected ${quoted(file)} to be a JSON report, got ${describeFault(error)}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  }
}
