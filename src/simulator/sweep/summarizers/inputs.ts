import type { Message } from '../../../engine/index.ts';
import { shortHash } from '../../lib/json.ts';
import { usedStrings } from '../../metrics/quality/used-strings.ts';
import { holds, normalise } from '../../metrics/probes/probe.ts';
import { transcriptOf } from '../../metrics/probes/questions.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { type CompileOptions, compileSession } from '../../replay/compile.ts';
import { generateSession } from '../../scenario/workload/generate-session.ts';
import type { SummaryRow } from '../../report/summarizers-report.ts';
import { findWorkload, type Workload } from '../../scenario/workload/workload.ts';
import type { PlantedFact } from '../../session/facts.ts';
import type { Session } from '../../session/session.ts';
import type { AnySummarizer, SummaryRequest } from '../../summarizer/summarizer.ts';

/** A session with its facts and strings, and the step of each message by its id; of a user, the step before. */
export type SummaryScenario = ReturnType<typeof prepareScenario> & {
  readonly family?: string | undefined;
};

export interface SummaryArm {
  readonly summarizer: AnySummarizer;
  readonly summaryModel?: ModelProfile | undefined;
  readonly prompt: SummaryPrompt;
}

export interface SummaryPrompt {
  readonly name: string;
  readonly hash: string;
  /** Stands in the place of the policy's instruction; absent where that holds. */
  readonly instruction?: string | undefined;
  /** Text that a plugin of the agent adds to the instruction. */
  readonly context?: string | undefined;
}

const HASH_LENGTH = 12;
/** The part of an instruction that a prompt of one's own must not lose. */
const PREVIOUS_SUMMARY = /^[^\n]*\n<previous-summary>\n[\s\S]*\n<\/previous-summary>/;

export const SHIPPED_SCENARIOS = 12;
const WORKLOAD = 'opencode';
const TURNS = { points: [[1, 8]] } as const;
const PLANTING = { factsPerKilotoken: 2, injections: 1 };

export function prepareScenario(
  session: Session,
  options: CompileOptions,
  stated?: readonly PlantedFact[],
) {
  const trace = compileSession(session, options);
  const messages: Message[] = [];
  const stepOf = new Map<string, number>();
  let steps = 0;
  for (const turn of trace.turns) {
    messages.push(turn.message, ...turn.steps.map(({ message }) => message));
    stepOf.set(turn.message.id, steps);
    for (const { message } of turn.steps) {
      steps += 1;
      stepOf.set(message.id, steps);
    }
  }
  const source = session.facts?.length ? 'planted' : 'none';
  const factSource: SummaryRow['facts'] = stated === undefined ? source : 'stated';
  const facts =
    stated === undefined ? (session.facts ?? []) : dateFacts(stated, { messages, stepOf });
  return {
    name: session.name,
    hash: summaryHash({ messages: session.messages, facts }),
    trace,
    messages,
    facts,
    factSource,
    strings: usedStrings(messages),
    stepOf,
    steps,
  };
}

export function lastStep({ stepOf }: SummaryScenario, messages: readonly Message[]): number {
  return messages.reduce((last, { id }) => Math.max(last, stepOf.get(id) ?? 0), 0);
}

export function summaryHash(value: unknown): string {
  return shortHash(value, HASH_LENGTH);
}

/** A summary request with another instruction; a previous summary stays in it. */
export function withPrompt(
  request: SummaryRequest,
  { instruction, context }: Pick<SummaryPrompt, 'instruction' | 'context'>,
): SummaryRequest {
  const previous = PREVIOUS_SUMMARY.exec(request.prompt)?.[0];
  const replaced = previous === undefined ? instruction : `${previous}\n\n${instruction}`;
  const own = instruction === undefined ? request.prompt : (replaced ?? '');
  const prompt = context === undefined ? own : `${own}\n\n${context}`;
  return prompt === request.prompt ? request : { ...request, prompt };
}

export function* shippedScenarios(): Generator<Session, void, undefined> {
  // Like no whole session: these are longer than a scenario has to be.
  const { sessions: _, ...base } = findWorkload(WORKLOAD);
  const workload: Workload = {
    ...base,
    name: 'evaluation',
    bank: 'evaluation',
    turnsPerSession: TURNS,
    planting: PLANTING,
  };
  for (let index = 0; index < SHIPPED_SCENARIOS; index++)
    yield generateSession(workload, { seed: 1, index });
}

function dateFacts(
  facts: readonly PlantedFact[],
  {
    messages,
    stepOf,
  }: { readonly messages: readonly Message[]; readonly stepOf: ReadonlyMap<string, number> },
) {
  const said = messages.map((message) => ({
    text: normalise(transcriptOf([message])),
    step: Math.max(1, (stepOf.get(message.id) ?? 0) + (message.role === 'user' ? 1 : 0)),
  }));
  return facts.flatMap((fact) => {
    const values = [fact.value, ...(fact.aliases ?? [])].map(normalise);
    const first = said.find(({ text }) => values.some((value) => holds(text, value)));
    return first === undefined ? [] : [{ ...fact, step: first.step }];
  });
}
