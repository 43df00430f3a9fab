/** A run that somebody has paused goes on once it is unpaused: nothing of it is over. Pure. */
export const isOpen = ({ name }: { readonly name: string }): boolean => name === 'RUNNING' || name === 'PAUSED';
