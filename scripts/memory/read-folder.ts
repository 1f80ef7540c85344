import { discoverSessionFiles } from '../../src/simulator/session/files/discover.ts';
import { writeSession } from '../../src/simulator/session/formats/canonical-lines.ts';
import { addCounts, countSession, NO_COUNTS } from '../../src/simulator/session/import.ts';
import { loadSessions } from '../../src/simulator/session/load.ts';
import { findFileRepeats } from '../../src/simulator/session/find-copies.ts';

const KILOBYTES_PER_MB = 1_000;

// All that commands do with a folder, but for counting tokens: search it for copies, read it, write its sessions.
const files = discoverSessionFiles([process.argv[2] ?? '']).files;
const { copies } = await findFileRepeats(files);
let counts = NO_COUNTS;
let chars = 0;
for (const loaded of loadSessions(files)) {
  if (loaded.state === 'unread') throw new Error(loaded.reason);
  counts = addCounts(counts, countSession(loaded.session));
  for (const line of writeSession(loaded.session)) chars += line.length;
}
console.log(`${counts.sessions} sessions, ${copies.size} of them copies, ${chars} characters`);
console.log(Math.round(process.resourceUsage().maxRSS / KILOBYTES_PER_MB));
