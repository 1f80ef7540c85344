/** What stands in the place of a summarizer's name: the compactor writes its own summaries, at a price nobody knows. */
export const OWN_SUMMARIES = 'own';
