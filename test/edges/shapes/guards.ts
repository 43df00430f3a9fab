import type { Guards } from '../guards';

export const guards: Guards = {};
