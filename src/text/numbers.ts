/** '5,000'. Own grouping: the same on every machine, and so in every replay. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
