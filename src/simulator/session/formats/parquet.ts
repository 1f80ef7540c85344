import { isObject, parseJson } from '../../lib/json.ts';
import type { PlacedSession, SessionFormat, SourceFile, Table, TableRow } from '../format.ts';
import { toModelName } from '../reading/lenient.ts';
import { createRecording } from '../reading/recording.ts';
import { noConversation } from '../reading/transcript.ts';
import { sessionName } from '../session.ts';
import { isChat, readChat } from './chat.ts';

/** Columns that hold a conversation, the surest first. Source: SWE-rebench, SWE-Zero and SWE-smith trajectories. */
const CONVERSATIONS = ['messages', 'trajectory', 'conversations', 'conversation', 'traj'];
/** Columns that say what wrote it. */
const MODELS = ['model', 'model_name'];
/** Columns with the name that the data set has for a row. Source: SWE-rebench and SWE-smith trajectories. */
const IDS = ['instance_id', 'trajectory_id'];
const FEW_ROWS = 20;

/** Parquet files with a conversation of chat messages in a column, a row a session. */
export const parquet: SessionFormat = {
  label: 'Parquet table of chat messages, a row a session',
  certainty: 'mark',
  detect: ({ table }) => table !== undefined && conversationColumn(table) !== undefined,
  readEach,
  keeps: { reasons: 'messages row' },
};

function* readEach(file: SourceFile): Generator<PlacedSession, void, undefined> {
  const { table } = file;
  const column = table && conversationColumn(table);
  if (table === undefined || column === undefined) throw noConversation(file.name, 'a table');
  const [models, ids] = [MODELS, IDS].map((some) =>
    some.filter((name) => table.columns.includes(name)),
  ) as [string[], string[]];
  let lost = 0;
  let isEmpty = true;
  for (const row of table.rows([column, ...models, ...ids])) {
    const messages = messagesIn(row.values[column]);
    if (messages === undefined) {
      lost += 1;
      continue;
    }
    const name = sessionName(file.name, { index: row.index, count: table.rowCount });
    const recording = createRecording();
    recording.tally.drop('row without messages', lost);
    lost = 0;
    readChat(recording, messages);
    const model = firstText(row, models);
    const session = recording.finish('parquet', {
      sessionId: firstText(row, ids),
      model: model && toModelName(model),
    });
    if (session.messages.length === 0) continue;
    yield {
      session: { name, ...session },
      range: { startByte: row.index, endByte: row.index + 1 },
    };
    isEmpty = false;
  }
  if (isEmpty) throw noConversation(file.name, 'rows without messages');
}

/** The first column with a conversation in one of the first rows. */
function conversationColumn(table: Table): string | undefined {
  return CONVERSATIONS.filter((name) => table.columns.includes(name)).find((name) => {
    let seen = 0;
    for (const { values } of table.rows([name])) {
      if (messagesIn(values[name]) !== undefined) return true;
      seen += 1;
      if (seen === FEW_ROWS) return false;
    }
    return false;
  });
}

/** Messages as nested values or as JSON; `undefined` where they are none. */
function messagesIn(value: unknown): readonly unknown[] | undefined {
  const list = typeof value === 'string' ? parseJson(value) : value;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const messages = list.map(withoutNulls);
  return isChat(messages) ? messages : undefined;
}

/** A column of records has all fields of all of them, and null where one has none. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(
    ([, field]) => field !== null && field !== undefined,
  );
  return Object.fromEntries(present.map(([key, field]) => [key, withoutNulls(field)]));
}

function firstText({ values }: TableRow, names: readonly string[]): string | undefined {
  return names
    .map((name) => values[name])
    .find((value) => typeof value === 'string' && value !== '') as string | undefined;
}
