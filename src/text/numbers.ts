/** '5,000' and '1,234.5'. Own grouping: the same on every machine, and so in every replay. */
export const grouped = (n: number): string => {
  const [whole = '', ...fraction] = String(n).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
};

/** '1 lead', '1,000 leads', '2 entries'. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`;
