import { played } from './played';

test('scheduled-leads plans and applies its schedule, triggers it once, and shows what the run did', async () => {
  const { stdout } = await played('scheduled-leads');
  expect(stdout).toContain('+ create     daily-leads: leadPipeline at 0 7 * * MON-FRI (Europe/Berlin)');
  expect(stdout).toContain('0 to create, 0 to change, 0 to remove, 1 unchanged');
  expect(stdout).toMatch(/daily-leads: started lead-pipeline\.default\.daily-leads-/);
  expect(stdout).toMatch(/done: \d+ leads: 3 converted, \d+ skipped; 3,000 credits spent/);
  expect(stdout).toMatch(/daily-leads .* completed, done/);
  expect(stdout).toContain('spent today      3,000 of 5,000 (Europe/Berlin)');
  expect(stdout).toContain('seen: no lead was paid for twice');
});
