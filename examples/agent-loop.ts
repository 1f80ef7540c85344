import {
  createState,
  type LoopInput,
  policies,
  render,
  type SummaryRequest,
  transition,
  type UserMessage,
} from 'compaction-bench/engine';
import { type Generate, toStep, toSummary } from './fake-model.ts';

/** What a run of the agent came to. */
export interface AgentRun {
  readonly steps: number;
  readonly compactions: number;
  readonly reason: string;
}

const policy = policies['opencode-1.18'];
const limits = { contextTokens: 50_000, outputTokens: 8_000 };

/** An agent loop whose context the engine looks after: it says what to send, the loop sends it and reports back. */
export async function runAgent(prompt: string, generate: Generate): Promise<AgentRun> {
  const newId = createIds();
  const message = userMessage(prompt, newId);
  let state = createState(policy, limits);
  let [steps, compactions, reason] = [0, 0, 'nothing to do'];
  let input: LoopInput = { type: 'user-message', message };
  for (;;) {
    const next = transition(state, input, { now: Date.now(), newId });
    state = next.state;
    compactions += next.events.filter(({ type }) => type === 'compacted').length;
    const [command] = next.commands;
    if (command === undefined) return { steps, compactions, reason };
    switch (command.type) {
      case 'summarise':
        input = toSummary(await generate(toQuestion(command.request, newId)));
        break;
      case 'request': {
        const messages = render(command.view, policy.render);
        const tools = { read: {} };
        const answer = await generate({ system: 'You mend code.', messages, tools });
        input = toStep(answer, { newId, parentId: message.id });
        steps += 1;
        break;
      }
      case 'stop':
        reason = command.reason;
        // Most policies prune now, when nobody waits for it.
        input = { type: 'turn-ended' };
    }
  }
}

function createIds(): (prefix: string) => string {
  let lastId = 0;
  return (prefix) => `${prefix}-${(lastId += 1)}`;
}

function userMessage(text: string, newId: (prefix: string) => string): UserMessage {
  const part = { type: 'text', id: newId('part'), text } as const;
  return { id: newId('user'), role: 'user', createdAt: Date.now(), parts: [part] };
}

/** What the summary replaces, and the instruction behind it as a message of its own. */
function toQuestion(
  { system, messages, prompt }: SummaryRequest,
  newId: (prefix: string) => string,
): Parameters<Generate>[0] {
  const view = [...messages, userMessage(prompt, newId)];
  return { system, messages: render(view, policy.render), tools: {} };
}
