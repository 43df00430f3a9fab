/** What a person does to a run by its updates; what each means there is in the description of the workflow's own update. */
export const ACTS = {
  approve: 'let a run that waits for an approval go on',
  reject: 'end a run that waits for an approval; nothing is spent',
  pause: 'begin nothing further; what is under way goes on',
  resume: 'go on after a pause',
} as const;

export type Act = keyof typeof ACTS;
