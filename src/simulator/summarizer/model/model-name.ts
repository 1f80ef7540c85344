/** Which of OpenAI's interfaces a model is asked through. */
export type ApiName = 'chat' | 'responses';

/** A real model as it is named on the command line. */
export interface ModelSpec {
  /** As in `@ai-sdk/PROVIDER`, or any name beside a base URL. */
  readonly provider: string;
  /** As the provider names it; it may have slashes and colons. */
  readonly model: string;
}
