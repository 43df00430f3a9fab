/** Looks for secrets in everything that outlives a call: histories, descriptions, details, logs, files (S4). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Sandbox } from '../../../src/sandbox';
import { WORKFLOW_QUEUE } from '../../../src/temporal/queues';

/** A place and all the text that is readable there. */
export interface Place {
  where: string;
  text: string;
}

/** What must be nowhere: any token, and what the survey's respondents said of themselves. */
export function secretsOf({ control, token }: Sandbox): Map<string, string> {
  const secrets = new Map([
    ['aky_', 'a token'],
    [token, 'the token'],
  ]);
  for (const { id, clientName, businessName, clientEmail, clientPhone } of control.leads())
    for (const [field, value] of Object.entries({ clientName, businessName, clientEmail, clientPhone }))
      if (value) secrets.set(value, `${field} of ${id}`);
  return secrets;
}

/** Every text in a value; bytes, such as a payload's data, as the text that they are. */
export function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${readable(inner)}`)
    .join('\n');
}

/** Histories, descriptions (memo, search attributes, summaries) and details of all runs. */
export async function placesOfRuns({ workflow }: Client): Promise<Place[]> {
  const places: Place[] = [];
  for await (const { workflowId, runId } of workflow.list()) {
    const handle = workflow.getHandle(workflowId, runId);
    const [history, { raw, taskQueue }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    places.push({ where: `history of ${workflowId}`, text: readable(history) });
    places.push({ where: `description of ${workflowId}`, text: `${workflowId}\n${readable(raw)}` });
    // Nobody answers for the examples that the start form copies.
    if (taskQueue !== WORKFLOW_QUEUE) continue;
    const metadata = await handle.query('__temporal_workflow_metadata');
    places.push({ where: `details of ${workflowId}`, text: readable(metadata) });
  }
  return places;
}

/** All files below a folder, their names included. */
export function placesOfFiles(folder: string): Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ where: `file ${file}`, text: `${file}\n${readFileSync(file, 'utf8')}` }));
}

/** `kind of secret: place`, one line each. Upper and lower case do not count; texts may be escaped as in an address. */
export function leaks(places: readonly Place[], secrets: ReadonlyMap<string, string>): string[] {
  return places.flatMap(({ where, text }) => {
    const lower = text.toLowerCase();
    return [...secrets]
      .filter(([secret]) => [secret, encodeURIComponent(secret)].some((form) => lower.includes(form.toLowerCase())))
      .map(([, kind]) => `${kind}: ${where}`);
  });
}
