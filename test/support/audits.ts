/** Audits of projects that no other test has. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditProject } from '../../workflows';
import type { Stage } from './stage';

export type AuditInput = Parameters<typeof auditProject>[0];

export const startAudit = ({ temporal }: Stage, input: AuditInput) =>
  temporal.client.workflow.start(auditProject, {
    ...{ workflowId: `audit-${randomUUID()}`, taskQueue: 'audit-runner', args: [{ prerequisites: 'fail', ...input }] },
  });

/** A new project, with documents of these names in the storage. */
export function newProject({ config }: Stage, names: readonly string[]) {
  const clientName = `Client ${randomUUID()}`;
  const documents = names.map((name) => {
    const ref = `${clientName}/${name}`;
    const file = join(fileURLToPath(config.storageUrl), ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${clientName} ${name}`);
    return ref;
  });
  return { clientName, input: { project: { clientName }, documents } satisfies AuditInput };
}
