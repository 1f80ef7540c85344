import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Message } from '../../src/engine/index.ts';
import { extractFacts } from '../../src/simulator/metrics/quality/extract-facts.ts';
import { generateSession } from '../../src/simulator/scenario/workload/generate-session.ts';
import {
  type Bank,
  findWorkload,
  type Language,
} from '../../src/simulator/scenario/workload/workload.ts';
import type { PlantedFact } from '../../src/simulator/session/facts.ts';
import { loadSessions } from '../../src/simulator/session/load.ts';

/** What is summarised at a pivot, and what the summary is to hold. */
export interface Pivot {
  /** Messages since the pivot before. */
  readonly head: readonly Message[];
  readonly facts: readonly PlantedFact[];
  /** Steps up to here. */
  readonly atStep: number;
}

/** A session that is summarised twice. */
export interface Course {
  readonly name: string;
  readonly pivots: readonly [Pivot, Pivot];
}

/** Courses that summarizers are made better on, and courses that they are judged by. */
export type Half = 'tuned' | 'heldOut';

const SESSIONS = resolve(import.meta.dirname, '../../../shared/sessions');

/** Recorded sessions by what they are for; no file is in both halves. */
export const RECORDED_FILES: Readonly<Record<Half, readonly string[]>> = {
  tuned: [
    'claude-code/codemie-incremental-subagents/turn-2.jsonl',
    'claude-code/entire-1755-orphan-tool-result.jsonl',
    'claude-code/entire-3799-glued-line-v2.1.jsonl',
    'claude-code/entire-720c-manual-v2.1.17.jsonl',
    'claude-code/kimi-cli-7719-no-compaction.jsonl',
    'codex/rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799.jsonl',
    'opencode/export-tuiptv-v1.14.46.skeleton.json',
    'openhands/multi_swe_bench-output.jsonl',
    'pi/before-compaction.jsonl',
    'swe-agent/crypto__katy.traj',
  ],
  heldOut: [
    'claude-code/codemie-incremental-simple/turn-2.jsonl',
    'claude-code/entire-21a2e002-checkpointA-v2.1.5.jsonl',
    'claude-code/entire-2372-20summaries-v2.1.5.jsonl',
    'claude-code/entire-b0dc-1compaction-2micro-v2.1.17.jsonl',
    'claude-code/entire-cd95-3compactions-v2.1.7.jsonl',
    'claude-sdk-stream/openagents-204253-2compactions.jsonl',
    'cline/session.messages.json',
    'gemini-cli/entire-ab2b-gemini.json',
    'gemini-cli/session-2025-12-01T21-45-5b959dae.json',
    'swe-agent/default__t-0.00__p-0.95__c-3.00__install-1__pydicom__pydicom-1458.traj',
    'swe-agent/marshmallow-1867__function_calling__install-1__marshmallow-code__marshmallow-1867.traj',
    'swe-agent/marshmallow-1867__function_calling_replace_from_source__marshmallow-code__marshmallow-1867.traj',
    'swe-agent/mini-github_issue.traj.json',
  ],
};
/** Seeds of generated sessions by what they are for. */
export const GENERATED_SEEDS: Readonly<Record<Half, readonly number[]>> = {
  tuned: [11, 12],
  heldOut: [101, 102],
};
const WORKLOADS = ['claude-code', 'opencode'] as const;
const LANGUAGES = ['english', 'chinese', 'japanese'] as const;
/** Planted sentences by half: nothing was tuned on those of the other one. */
const BANKS: Readonly<Record<Half, Bank>> = { tuned: 'development', heldOut: 'evaluation' };
/** A shorter session is no course: half of it says nothing. */
const FEWEST_MESSAGES = 8;
/** Enough for facts of every kind in each half. */
const FACTS_PER_KILOTOKEN = 0.6;

/** Generated sessions of a half, some for each agent and seed; the held-out ones are all in English. */
export function generatedCourses(half: Half): readonly Course[] {
  return GENERATED_SEEDS[half].flatMap((seed) =>
    WORKLOADS.flatMap((workload) =>
      LANGUAGES.map((language, index) =>
        generateCourse({ workload, bank: BANKS[half], language, seed, index: index + 1 }),
      ),
    ),
  );
}

/** Recorded sessions of a half, without those that are not there or too short to have two halves. */
export function recordedCourses(half: Half): readonly Course[] {
  const paths = RECORDED_FILES[half].map((name) => resolve(SESSIONS, name));
  return [...loadSessions(paths.filter((path) => existsSync(path)))].flatMap((loaded) => {
    if (loaded.state !== 'read' || loaded.session.messages.length < FEWEST_MESSAGES) return [];
    return [toCourse(loaded.session.name, loaded.session.messages)];
  });
}

/** What a course is generated from. */
interface Generated {
  readonly workload: string;
  readonly bank: Bank;
  readonly language: Language;
  readonly seed: number;
  readonly index: number;
}

function generateCourse({ workload, bank, language, seed, index }: Generated): Course {
  const planting = { factsPerKilotoken: FACTS_PER_KILOTOKEN };
  const shape = { ...findWorkload(workload), bank, languages: { [language]: 1 }, planting };
  const { messages, facts = [] } = generateSession(shape, { seed, index });
  return toCourse(`${workload} ${seed}-${index}`, messages, facts);
}

/** A course with pivots after half of the messages and after all; facts that are not given are taken from the messages. */
function toCourse(
  name: string,
  messages: readonly Message[],
  planted?: readonly PlantedFact[],
): Course {
  const half = Math.ceil(messages.length / 2);
  const pivotAt = (from: number, to: number): Pivot => {
    const seen = messages.slice(0, to);
    return {
      head: messages.slice(from, to),
      facts: planted ?? extractFacts(seen),
      atStep: seen.filter(({ role }) => role === 'assistant').length,
    };
  };
  return { name, pivots: [pivotAt(0, half), pivotAt(half, messages.length)] };
}
