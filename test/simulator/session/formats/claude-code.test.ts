import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';

const FOLDER = resolve(
  import.meta.dirname,
  '../../../../../shared/sessions/claude-code/codemie-incremental-subagents',
);
const hasFolder = existsSync(FOLDER);
const readRecorded = (file: string) => readSessions(file, readFileSync(join(FOLDER, file), 'utf8'));
const note = hasFolder ? '' : ' (skipped: ../shared/sessions is not there)';

describe.skipIf(!hasFolder)(`a recorded sub-agent${note}`, () => {
  it('is linked by the id under which its own file is read', () => {
    const [main] = readRecorded('turn-2.jsonl');
    const [inner] = readRecorded('turn-2/subagents/agent-a485154.jsonl');
    expect(inner).toMatchObject({ isSide: true, sessionId: 'a485154' });
    expect(inner).toHaveProperty('parentSessionId', main?.sessionId);
    expect(main?.sideSessions?.map(({ sessionId }) => sessionId)).toEqual([inner?.sessionId]);
  });
});
