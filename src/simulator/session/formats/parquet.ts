import { isObject, parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile, Table } from '../format.ts';
import { toId, toModel } from '../reading/fields.ts';
import { eachRecording } from '../reading/recording.ts';
import { noConversation } from '../reading/transcript.ts';
import { isChat, readChat } from './openai-chat.ts';

type Label = readonly [name: string, value: string | number | boolean];

/** Columns that hold a conversation, the surest first. Source: SWE-rebench, SWE-Zero and SWE-smith trajectories. */
const CONVERSATIONS = ['messages', 'trajectory', 'conversations', 'conversation', 'traj'];
const MODELS = ['model', 'model_name'];
/** Columns with the name that the data set has for a row. Source: SWE-rebench and SWE-smith trajectories. */
const IDS = ['instance_id', 'trajectory_id'];
const FEW_ROWS = 20;
const LONGEST_LABEL = 200;

/** Parquet files with a conversation of chat messages in a column, a row a session. */
export const parquet: SessionFormat = {
  label: 'Parquet table of chat messages, a row a session',
  detect: ({ table }) => table !== undefined && conversationColumn(table) !== undefined,
  readEach,
};

function readEach(file: SourceFile) {
  const { table, name } = file;
  const column = table && conversationColumn(table);
  if (table === undefined || column === undefined) throw noConversation(name, 'a table');
  const named = [...MODELS, ...IDS].filter((each) => table.columns.includes(each));
  const labels = table.labels.filter((each) => each !== column && !MODELS.includes(each));
  return eachRecording(file, table.rows([...new Set([column, ...named, ...labels])]), {
    empty: 'rows without messages',
    lost: 'row without messages',
    count: table.rowCount,
    place: ({ index }) => ({ index, range: { startByte: index, endByte: index + 1 } }),
    read: (recording, { values }) => {
      readChat(recording, messagesIn(values[column]) ?? []);
      const firstOf = (names: readonly string[]) =>
        names.flatMap((each) => toId(values[each]) ?? []);
      const told = labels.flatMap((each) => labelOf(each, values[each]));
      return {
        sessionId: firstOf(IDS)[0],
        model: toModel(firstOf(MODELS)[0]),
        labels: told.length > 0 ? Object.fromEntries(told) : undefined,
      };
    },
  });
}

function labelOf(name: string, told: unknown): readonly Label[] {
  const value = typeof told === 'bigint' ? Number(told) : told;
  if (typeof value === 'boolean' || typeof value === 'number') return [[name, value]];
  const text = toId(value);
  return text !== undefined && text.length <= LONGEST_LABEL ? [[name, text]] : [];
}

function conversationColumn(table: Table) {
  const names = table.chosen === undefined ? CONVERSATIONS : [table.chosen];
  return names
    .filter((name) => table.columns.includes(name))
    .find((name) => {
      let seen = 0;
      for (const { values } of table.rows([name])) {
        if (messagesIn(values[name]) !== undefined) return true;
        seen += 1;
        if (seen === FEW_ROWS) return false;
      }
      return false;
    });
}

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
  const present = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(present.map(([key, field]) => [key, withoutNulls(field)]));
}
