/** A pipeline of the configuration file becomes a schedule, which is triggered once. */
import { type Example, seen } from '../example';

const CONVERSIONS = 3;
const CREDITS = 3_000;

export const scheduledLeads: Example = {
  sandbox: { leads: 40 },
  async play({ command, sandbox }) {
    // Code 3: applying would change something.
    await command(['schedules', 'plan'], 3);
    await command(['schedules', 'apply']);
    await command(['schedules', 'plan']);

    const text = await command(['schedules', 'trigger', 'daily-leads']);
    const [, workflowId = ''] = /started (\S+)/.exec(text) ?? [];
    await command(['run', 'leadPipeline', '--attach', '--id', workflowId]);
    await command(['schedules', 'list']);
    await command(['spend']);

    const { conversions, creditsSpent, paidTwice } = sandbox.control.stats();
    const spent = creditsSpent[sandbox.userId] ?? 0;
    seen(
      [`the run that was triggered converted ${CONVERSIONS} leads`, conversions === CONVERSIONS],
      [`it spent ${CREDITS} credits, its cap, by the service's own count`, spent === CREDITS],
      ['no lead was paid for twice', paidTwice.length === 0],
    );
  },
};
