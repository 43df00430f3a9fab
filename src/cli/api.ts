/** `audit-runner api`: makes any call of the API that has no workflow of its own, and prints the reply. */
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type Route, type RouteName, routes } from '../agent-api/routes';
import { deletes } from '../config/call-routes';
import { ownWorkflow } from '../inputs/any-call';
import { WORKFLOW_TYPES } from '../runs/workflow-types';
import { openStorage } from '../storage';
import { announce, forAccounts } from './announce';
import { EXIT, Exit } from './exit';
import { failureSentence, follow } from './follow';
import { readInputOption } from './json-input';
import { refuseUnknownAccount } from './known-account';
import { print, printJson, printStored, table, tell } from './output';
import { showResult } from './results';
import { again, lost, start } from './run';
import { configHere, pageOf, withServer } from './server';
import { EndSignals } from './signals';

export interface ApiOptions {
  input?: string;
  account?: string;
  id?: string;
  query?: string[];
  json?: boolean;
  config?: string;
}

const TYPE = 'callApi';

/** @param route none: lists all routes */
export async function apiCommand(route: string | undefined, options: ApiOptions): Promise<number> {
  if (route === undefined) return listRoutes(options.json);
  const input = inputOf(route, options);
  // Checked before anything is connected or started, with the sentences that the run itself would fail with.
  const plan = WORKFLOW_TYPES[TYPE].plan(input);
  const { storageUrl, accounts } = await configHere(options.config);
  const { workflowId, account } = plan;
  return withServer('writes', async (reached) => {
    const { client, server } = reached;
    const signals = new EndSignals();
    await refuseUnknownAccount(reached, account, accounts);
    announce(`Calling ${route}${forAccounts([account], accounts)}`, server.config);
    const { handle, runId } = await start(client, TYPE, workflowId, input, plan);
    const link = pageOf(reached, workflowId, runId);
    tell(link ? `Run ${workflowId}\n${link}` : `Run ${workflowId}`);
    const end = await follow(reached, handle, signals.aborted).catch(lost(TYPE, workflowId));
    if (end.kind === 'interrupted') {
      tell(`Interrupted: the run goes on. Look again with:\n${again(TYPE, workflowId)}`);
      return EXIT.interrupted;
    }
    if (end.kind === 'failed') {
      if (options.json) printJson({ workflowId, error: { type: end.type, message: end.message } });
      tell(failureSentence(end));
      return end.type === 'BadInput' ? EXIT.badInput : EXIT.failed;
    }
    const shown = await showResult(TYPE, end.result, storageUrl);
    const reply = await readReply(end.result, storageUrl);
    tell(shown.text);
    if (options.json) printJson({ workflowId, ...(link && { link }), result: shown.json, reply: parsed(reply) });
    else if (reply !== undefined) printStored(reply.trimEnd());
    return shown.code;
  });
}

/** The input of the run: `--input` with the route, and what was given beside it, put in. */
function inputOf(route: string, { input, account, id, query = [] }: ApiOptions): unknown {
  const given = z.record(z.string(), z.unknown()).safeParse(readInputOption(input, account));
  if (!given.success)
    throw new Exit(EXIT.badInput, `--input is not one JSON object, such as '{"id": "…", "body": {"name": "…"}}'.`);
  if (given.data.route !== undefined && given.data.route !== route)
    throw new Exit(EXIT.badInput, `the route is '${route}', but the input names another one; give one of them.`);
  if (id !== undefined && given.data.id !== undefined)
    throw new Exit(EXIT.badInput, 'the id is given twice: by --id and in the input.');
  const pairs = query.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new Exit(EXIT.badInput, 'give --query as name=value');
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  const before = z.record(z.string(), z.unknown()).safeParse(given.data.query);
  return {
    ...given.data,
    route,
    ...(id !== undefined && { id }),
    ...(pairs.length > 0 && { query: { ...(before.success && before.data), ...Object.fromEntries(pairs) } }),
  };
}

const Stored = z.looseObject({ ref: z.string() });

/** The stored reply; undefined where there is none, or it cannot be read here. */
async function readReply(result: unknown, storageUrl: string): Promise<string | undefined> {
  const stored = Stored.safeParse(result);
  if (!stored.success) return undefined;
  const storage = openStorage(storageUrl);
  try {
    return await text(await storage.read(stored.data.ref));
  } catch (error) {
    tell(
      `The reply is in the worker's storage as ${stored.data.ref}, which cannot be read here (${storage.describe()}): ` +
        `${error instanceof Error ? error.message : String(error)} Set STORAGE_URL as the worker has it.`,
    );
    return undefined;
  }
}

const parsed = (reply: string | undefined): unknown => (reply === undefined ? undefined : JSON.parse(reply));

/** Why `callApi` does not call a route, or not without more. */
function restrictionOf(name: RouteName, workflow: string | undefined, session: boolean): string {
  if (workflow) return `: workflow ${workflow}`;
  if (session) return ': not with a token';
  return deletes(name) ? ': off until `callApi.allow` names it' : '';
}

function listRoutes(json: boolean | undefined): number {
  const all = Object.entries(routes as Record<RouteName, Route>).map(([name, route]) => {
    const { method, path, scope, allowlist, about } = route;
    const own = ownWorkflow(name as RouteName);
    return { name, method, path, scope, about, ...(own && { workflow: own }), session: allowlist === 'session' };
  });
  if (json) printJson(all.map(({ session, ...route }) => ({ ...route, callable: !session && !route.workflow })));
  else
    print(
      table(
        ['route', 'call', 'scope', 'about'],
        all.map(({ name, method, path, scope, about, workflow, session }) => [
          ...[name, `${method} ${path}`, scope],
          about + restrictionOf(name as RouteName, workflow, session),
        ]),
      ),
    );
  return EXIT.done;
}
