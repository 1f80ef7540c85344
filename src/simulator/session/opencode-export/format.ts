import { HarnessError } from '../../errors.ts';
import { quote } from '../describe-content.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import type { Session } from '../session.ts';
import { createTally } from '../tally.ts';
import { finishMessages } from '../transcript.ts';
import { findExport, type OpencodeMessage, parseMessage } from './document.ts';
import { readHistory } from './history.ts';

/** Sessions as `opencode export` prints them. */
export const opencodeExport: SessionFormat = {
  label: 'OpenCode export (JSON)',
  detect: (file) => findExport(file) !== undefined,
  read: (file) => [readExport(file)],
};

function readExport(file: SourceFile): Session {
  const { info, messages: values = [] } = findExport(file) ?? {};
  const tally = createTally();
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { drafts, compactions, isPartial } = readHistory(recorded, tally);
  if (drafts.length === 0) throw noMessages(file.name);
  const model = modelOf(recorded);
  return {
    name: file.name,
    format: 'opencode-export',
    ...(info?.id !== undefined && { sessionId: info.id }),
    isSide: info?.parentID !== undefined,
    isPartial,
    ...(model !== undefined && { model }),
    messages: finishMessages(drafts, tally),
    recordedCompactions: compactions,
    isOutputFinal: true,
    report: tally.toReport(),
  };
}

function modelOf(messages: readonly OpencodeMessage[]): string | undefined {
  const step = messages.find(({ info }) => info.role === 'assistant' && info.modelID !== undefined);
  const { providerID, modelID } = step?.info ?? {};
  return providerID === undefined ? modelID : `${providerID}/${modelID}`;
}

function noMessages(name: string): HarnessError {
  const message = `Expected ${quote(name)} to hold a conversation, got an export without messages.`;
  return new HarnessError('BAD_SESSION', message);
}
