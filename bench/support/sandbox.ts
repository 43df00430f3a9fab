/** The sandbox in a process of its own, seen through its control surface. */
import { z } from 'zod';
import type { SandboxOptions } from '../../src/sandbox';
import { CommandProcess } from './process';

const Address = z.object({ baseUrl: z.string(), controlUrl: z.string(), token: z.string() });

/** What the benches read of the sandbox's statistics. */
const Stats = z.object({
  requests: z.object({
    byRoute: z.record(z.string(), z.number()),
    byClass: z.record(z.string(), z.number()),
    byStatus: z.record(z.string(), z.number()),
  }),
  refused429: z.number(),
  windows: z.array(z.object({ rateClass: z.string(), largest: z.number(), limit: z.number().optional() })),
  conversions: z.number(),
  payments: z.array(z.object({ subject: z.string(), at: z.string() })),
  paidTwice: z.array(z.unknown()),
  paidOverlapping: z.array(z.unknown()),
  faults: z.array(z.object({ route: z.string(), fault: z.string() })),
});
export type Stats = z.infer<typeof Stats>;

const Leads = z.array(z.object({ id: z.string(), surveyStatus: z.string() }));

export interface SandboxProcess extends z.infer<typeof Address> {
  stats(): Promise<Stats>;
  /** Leads that can be converted. */
  leadIds(): Promise<string[]>;
  setFaultRate(rate: NonNullable<SandboxOptions['faultRate']>): Promise<void>;
  clearFaults(): Promise<void>;
  end(): Promise<void>;
}

/** @param flags of `audit-runner sandbox` */
export async function startSandboxProcess(flags: readonly string[], log: string): Promise<SandboxProcess> {
  const running = new CommandProcess(['sandbox', '--json', ...flags], { log, read: true });
  const address = Address.parse(JSON.parse(await running.firstLine()));
  const ask = async (operation: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${address.controlUrl}/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });
    const reply: unknown = await response.json();
    if (!response.ok) throw new Error(`the sandbox refused ${operation}: ${JSON.stringify(reply)}`);
    return reply;
  };
  return {
    ...address,
    stats: async () => Stats.parse(await ask('stats')),
    leadIds: async () =>
      Leads.parse(await ask('leads')).flatMap(({ id, surveyStatus }) => (surveyStatus === 'completed' ? [id] : [])),
    setFaultRate: async (rate) => void (await ask('setFaultRate', rate)),
    clearFaults: async () => void (await ask('clearFaults')),
    end: () => running.end(),
  };
}
