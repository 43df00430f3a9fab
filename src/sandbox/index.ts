export type { Control } from './control';
export type { LogLine, SandboxOptions, Tier } from './options';
export { FAULTS, FaultRate, FaultRule, TIERS } from './options';
export type { Payment } from './payments';
export { type Sandbox, startSandbox } from './sandbox';
export type { Stats } from './statistics';
export { variantOverrides } from './wire-names';
