import type { Message, Snapshots } from '../../engine/index.ts';
import { recapFormats, recapSession, type SessionRecap } from '../../simulator/report/recap.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import { readSnapshots } from '../../simulator/session/snapshots.ts';
import { defineCommand, option, reportOptions } from '../command.ts';
import { findSessions, noInput, type RunInputs } from '../inputs.ts';
import { ownOrigin } from '../package.ts';
import { demoOption, SESSION_INPUTS } from '../plan/options.ts';
import { type CliIo, EXIT, isStopped } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench sessions recap sessions/
  $ compaction-bench sessions recap session.json --snapshots ~/.local/share/opencode/snapshot/PROJECT
  $ compaction-bench sessions recap session.json --format json`;

const NO_SNAPSHOTS: Snapshots = new Map();

export const recapCommand = defineCommand({
  name: 'recap',
  describe: 'Sum up recorded sessions: the title of each turn, and which files it changed.',
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: {
    demo: demoOption,
    snapshots: option(
      '--snapshots <folder>',
      'git repository of the snapshots that steps name; changes are unknown without it',
    ),
    ...reportOptions(recapFormats),
  },
  examples: EXAMPLES,
  run: async ({ inputs }, { demo, snapshots }, { io, openReport }) => {
    const out = openReport(recapFormats, 'recap format');
    const recaps = await recapFiles(findSessions(inputs, { demo }, io), snapshots, io);
    if (recaps === undefined) return undefined;
    if (recaps.sessions.length === 0) throw noInput(recaps.unread);
    const shown = out.format({ origin: ownOrigin(), ...recaps }, out.terminal);
    return out.finish(shown, recaps.unread.length === 0 ? EXIT.done : EXIT.failed);
  },
});

async function recapFiles(found: RunInputs, repository: string | undefined, io: CliIo) {
  const sessions: SessionRecap[] = [];
  const unread = [...found.unread];
  const snapshotsOf = (messages: readonly Message[]) =>
    repository === undefined ? NO_SNAPSHOTS : readSnapshots(repository, messages);
  for (const file of inTurn(found.files, (path) => found.nameOf(path), io)) {
    for (const loaded of loadSessions([file])) {
      if (await isStopped(io)) return undefined;
      if (loaded.state === 'unread') unread.push({ file, reason: loaded.reason });
      else sessions.push(recapSession(loaded.session, snapshotsOf(loaded.session.messages)));
    }
  }
  return { sessions, unread };
}
