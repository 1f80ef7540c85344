import type { SessionFormat } from '../format.ts';
import { type Fields, objectsIn, wordsIn } from '../reading/lenient.ts';
import { readRecording } from '../reading/recording.ts';
import { gatherMessages } from './opencode-records.ts';
import { KEPT_WORDS, readSession } from './opencode.ts';

/** Types of rows without conversation. */
const OTHER_TYPES = wordsIn('session_diff model');

/** The feed that OpenCode's server returns for a shared session: rows with the type of their data. */
export const opencodeShare: SessionFormat = {
  label: 'OpenCode share feed (JSON)',
  certainty: 'mark',
  detect: (file) => dataOf(file.json(), 'session').length > 0,
  read: readRecording(
    { format: 'opencode-share', empty: 'a share without messages' },
    (recording, file) => {
      const rows = file.json();
      const [info, ...others] = dataOf(rows, 'session');
      const pieces = { infos: dataOf(rows, 'message'), parts: dataOf(rows, 'part') };
      if (!Array.isArray(rows) || info === undefined || pieces.infos.length === 0) return;
      const { tally } = recording;
      const known = 1 + others.length + pieces.infos.length + pieces.parts.length;
      const silent = objectsIn(rows).filter(({ type }) => OTHER_TYPES.has(type)).length;
      tally.drop('unknown row', rows.length - silent - known);
      return readSession(recording, { info, messages: gatherMessages(pieces, tally) });
    },
  ),
  keeps: { ...KEPT_WORDS, reasons: `${KEPT_WORDS.reasons} row` },
};

function dataOf(rows: unknown, type: string): readonly Fields[] {
  const data = objectsIn(rows).flatMap((row) => (row['type'] === type ? [row['data']] : []));
  return objectsIn(data).filter(({ id }) => typeof id === 'string');
}
