import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  ALL_GUARDS,
  type Message,
  policies,
  type PolicyName,
  type PolicyOverrides,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import type { ModelProfile } from '../../../src/simulator/provider/model-profile.ts';
import { type RefusalName, refusals } from '../../../src/simulator/provider/refusals.ts';
import type { Fault } from '../../../src/simulator/scenario/scenario.ts';
import type { ProviderOverrides } from '../../../src/simulator/scenario/settings.ts';
import type { SummaryAnswer } from '../../../src/simulator/summarizer/summarizer.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { file, user } from '../../support/history.ts';
import { retold } from '../../support/retold.ts';
import {
  answer,
  ask,
  call,
  chat,
  eventsOf,
  failing,
  fixed,
  modelOf,
  PRICES,
  roomy,
  run,
  summarizerOf,
  traceOf,
  wordsOf,
  work,
} from './lab.ts';

type Model = ProviderOverrides & Partial<Pick<ModelProfile, 'limits' | 'prices'>>;
type Answer = Partial<SummaryAnswer>;

/** What happens in a story: a session in words, and the options of its run as data. */
interface Story {
  readonly messages: string;
  readonly ownFaults?: readonly [];
  readonly policy?: PolicyName;
  readonly rules?: Omit<PolicyOverrides, 'guards'> & { guards?: PolicyOverrides['guards'] | 'all' };
  readonly model?: Model;
  readonly summaryModel?: Model | 'roomy';
  readonly summarizer?: string | { readonly says: Answer } | (Answer & { readonly fails: number });
  readonly faults?: readonly Fault[];
  /** The model of a switch. */
  readonly other?: Model;
  readonly modelChanges?: readonly { readonly messageId: string; readonly model: Model }[];
}

const FOLDER = join(import.meta.dirname, '../../fixtures/stories');
const SMALL = { contextTokens: 4_000, outputTokens: 1_000 };
const picture = file('f1', 'image/png', { url: `data:image/png;base64,${'A'.repeat(50_000)}` });

function messagesOf(words: string): readonly Message[] {
  const [kind, first = '', second, id = first] = words.split(' ');
  const count = Number(second);
  if (kind === 'chat') return chat(Number(first), count);
  if (kind === 'work') return work(Number(first), count);
  if (kind === 'picture') return [user(first, wordsOf(10), picture)];
  if (kind === 'ask') return [ask(first, count)];
  return [kind === 'call' ? call(first, count, { id }) : answer(first, count)];
}

function profileOf({ limits, prices, ...overrides }: Model, id?: string): ModelProfile {
  return modelOf(overrides, {
    ...(limits && { limits }),
    ...(id !== undefined && { id }),
    prices: { ...PRICES, ...prices },
  });
}

function summarizerFor(story: Story['summarizer']) {
  if (story === undefined) return fixed;
  if (typeof story === 'string') return findSummarizer(story);
  if ('fails' in story) return failing(story.fails, story);
  return summarizerOf(
    (request, tools) => ({ ...fixed.summarise(request, tools), ...story.says }) as SummaryAnswer,
  );
}

function runStory({ messages, ownFaults, rules, summaryModel, other, ...story }: Story) {
  const { guards, ...others } = rules ?? {};
  const session = messages.split(', ').flatMap(messagesOf);
  return run(traceOf(session, ownFaults && { ownFaults }), {
    policy: resolvePolicy(policies[story.policy ?? 'opencode-1.2.16'], {
      ...others,
      ...(guards && { guards: guards === 'all' ? ALL_GUARDS : guards }),
    }),
    model: profileOf(story.model ?? {}),
    summarizer: summarizerFor(story.summarizer),
    ...(summaryModel && {
      summaryModel: summaryModel === 'roomy' ? roomy : profileOf(summaryModel, 'lab/small'),
    }),
    ...(story.faults && { faults: story.faults }),
    ...(other && { findModel: () => profileOf({ limits: SMALL, ...other }, 'lab/other') }),
    ...(story.modelChanges && {
      modelChanges: story.modelChanges.map(({ messageId, model }) => ({
        messageId,
        model: profileOf(model),
      })),
    }),
  });
}

const FRAME = new Set(['run-start', 'turn-start', 'turn-end', 'standing', 'law-violated']);

/** An event as its type and whatever it says. */
function lineOf({ type, ...event }: RunEvent): readonly string[] {
  if (FRAME.has(type)) return [];
  const words = Object.entries(event).flatMap(([key, value]) =>
    value === undefined || value === 0 || value === false
      ? []
      : `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  return [[type, ...words].join(' ')];
}

it.each(readdirSync(FOLDER))('what became of requests is what it was: %s', async (name) => {
  const path = join(FOLDER, name);
  const text = retold(path, (line) => {
    const { events, history, view, state } = runStory(JSON.parse(line) as Story);
    const kept = state.history.flatMap((message) => {
      const id = message.id.replace(/^policy-/, '');
      if (message.role === 'assistant' && message.error)
        return `${id} after ${message.parentId}: ${JSON.stringify(message.error)}`;
      if (message.role === 'assistant' && message.summary)
        return `${id}: ${JSON.stringify(message.usage)}`;
      return /interrupting|replay/.test(id)
        ? `${id}: ${JSON.stringify(message.parts).replaceAll(/(?:word)+/g, 'word')}`
        : [];
    });
    const limits = JSON.stringify(state.limits);
    const end = [`limits=${limits}`, `history=${history}`, `view=${view}`];
    return [...events.flatMap(lineOf), ...kept, ...end];
  });
  await expect(text).toMatchFileSnapshot(path);
});

/** Whether 1.2.16 and 1.18 know the words of a refusal; most are known to both. */
const KNOWN: Partial<Record<RefusalName, readonly [boolean, boolean]>> = {
  'anthropic-max-tokens': [false, false],
  zai: [false, true],
  'litellm-wrapper': [false, true],
  'litellm-no-model': [false, false],
  dashscope: [false, false],
  'llama.cpp-context': [false, false],
  mistral: [false, true],
  ollama: [false, true],
};

it.each(
  (Object.keys(refusals) as RefusalName[]).filter((name) => refusals[name].kind === 'refuses'),
)('a refusal is known by its words as the releases know them: %s', (refusal) => {
  const model = modelOf({ trueContextTokens: 5_000, refusal });
  const known = (['opencode-1.2.16', 'opencode-1.18'] as const).map((name) => {
    const { events } = run(chat(4, 2_000), { model, summaryModel: roomy, policy: policies[name] });
    return eventsOf(events, 'step-refused')[0]?.isRecognised;
  });
  expect(known).toEqual(KNOWN[refusal] ?? [true, true]);
});
