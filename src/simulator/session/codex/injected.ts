import { beginsWithAny } from '../reading/begins-with-any.ts';

/** How texts begin that a program put into the user's place. */
const INJECTED_STARTS = [
  '# AGENTS.md instructions',
  '</image>',
  '<INSTRUCTIONS>',
  '<apps_instructions>',
  '<collaboration_mode>',
  '<environment_context>',
  '<environments_instructions>',
  '<goal_context>',
  '<hook_prompt',
  '<image',
  '<model_switch>',
  '<permissions instructions>',
  '<permissions>',
  '<personality_spec>',
  '<plugins_instructions>',
  '<realtime_conversation>',
  '<skill>',
  '<skills_instructions>',
  '<subagent_notification>',
  '<turn_aborted>',
  '<user_instructions>',
  '<user_shell_command>',
];

/** Whether a text in the user's place is context that a program gathered: seen by the model, but no prompt. */
export function isInjectedText(text: string): boolean {
  return beginsWithAny(text, INJECTED_STARTS);
}
