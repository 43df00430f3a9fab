/** What spent credits are summed up by. */
export const SUMMED_BY = ['day', 'month', 'run', 'subject'] as const;
export type SummedBy = (typeof SUMMED_BY)[number];
