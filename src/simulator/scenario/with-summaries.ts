import { policies, type Policy, resolvePolicy } from '../../engine/index.ts';

/** Who is to write the summaries of a policy, and how; as the policy says where nothing is told. */
export interface OwnSummaries {
  /** `provider/model`. */
  readonly summaryModel?: string | undefined;
  /** A system prompt of one's own for the summary agent. */
  readonly summaryPrompt?: string | undefined;
}

/** A policy with a summary model and prompt of one's own; the control has no summaries. */
export function withSummaries(
  policy: Policy,
  { summaryModel: model, summaryPrompt: systemText }: OwnSummaries,
): Policy {
  const isOwn = model !== undefined || systemText !== undefined;
  if (!isOwn || policy.name === policies.none.name) return policy;
  return resolvePolicy(policy, { summary: { model, systemText } });
}
