import { appendFileSync } from 'node:fs';
import { transcriptLines } from '../../bench/support/transcripts.ts';
import { writeSession } from '../../src/simulator/session/formats/canonical-lines.ts';
import { readSessions } from '../../src/simulator/session/load.ts';

/** How many sessions there are in a file, and about how large the transcript of each of them is. */
export interface SessionsFileSize {
  readonly sessions: number;
  readonly bytes: number;
}

/** Writes a new file of sessions. */
export function makeSessionsFile(path: string, { sessions, bytes }: SessionsFileSize): void {
  for (let index = 0; index < sessions; index++) {
    const transcript = [...transcriptLines({ index, bytes })].join('');
    for (const session of readSessions(`${index}`, transcript)) {
      appendFileSync(path, [...writeSession(session)].join(''));
    }
  }
}
