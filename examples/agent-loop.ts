import { createState, type LoopInput, policies, render, transition } from '../src/engine/index.ts';
import { type Generate, toStep, toSummary } from './fake-model.ts';

/** What a run of the agent came to. */
export interface AgentRun {
  readonly steps: number;
  readonly compactions: number;
  readonly reason: string;
}

/** An agent loop whose context the engine looks after: it says what to send, the loop sends it and reports back. */
export async function runAgent(prompt: string, generate: Generate): Promise<AgentRun> {
  const policy = policies['opencode-1.18'];
  let [ids, steps, compactions] = [0, 0, 0];
  let state = createState(policy, { contextTokens: 50_000, outputTokens: 8_000 });
  const newId = (prefix: string) => `${prefix}-${(ids += 1)}`;
  const part = { type: 'text', id: newId('part'), text: prompt } as const;
  const message = {
    id: newId('user'),
    role: 'user',
    createdAt: Date.now(),
    parts: [part],
  } as const;
  let reason = 'nothing to do';
  let input: LoopInput = { type: 'user-message', message };
  for (;;) {
    const next = transition(state, input, { now: Date.now(), newId });
    state = next.state;
    compactions += next.events.filter(({ type }) => type === 'compacted').length;
    const [command] = next.commands;
    if (command?.type === 'summarise') {
      const { system, messages, prompt: question } = command.request;
      const sent = render(
        [...messages, { ...message, parts: [{ ...part, text: question }] }],
        policy.render,
      );
      input = toSummary(await generate({ system, messages: sent, tools: {} }));
    } else if (command?.type === 'request') {
      const sent = render(command.view, policy.render);
      const result = await generate({
        system: 'You mend code.',
        messages: sent,
        tools: { read: {} },
      });
      input = toStep(result, { newId, parentId: message.id });
      steps += 1;
    } else if (input.type === 'turn-ended') return { steps, compactions, reason };
    else {
      reason = command?.reason ?? 'nothing to do';
      // Most policies prune now, when nobody waits for it.
      input = { type: 'turn-ended' };
    }
  }
}
