/** agent-api.md, "Opportunity": the values of the category filter, in the order in which a report shows them. */
export const CATEGORIES = ['quick_wins', 'big_swings', 'nice_to_haves', 'deprioritize'] as const;
export type Category = (typeof CATEGORIES)[number];
