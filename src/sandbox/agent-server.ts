import type { IncomingMessage, RequestListener } from 'node:http';
import type { PaidRoute } from '../agent-api/routes';
import type { Admission } from './admission';
import { ClientGone, readJson, readUpload } from './body';
import { type Fault, suffer } from './faults';
import { allHandlers } from './handlers';
import { NewProject } from './handlers/projects';
import { leadSubject, projectSubject } from './payments';
import { Refusal, type Reply } from './refusal';
import { match, methodsOf } from './router';
import type { Call, Service } from './service';
import type { Statistics } from './statistics';
import { HttpWire } from './wire';
import { Query, readQuery } from './wire-names';

/** Answers the requests to the service: gate, body, then the call, with or without a fault. */
export function agentServer(service: Service, statistics: Statistics): RequestListener {
  const { clock, gate, faults, settings } = service;
  const handlers = allHandlers(service);

  return (request, response) => {
    const { method = 'GET' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    const target = match(method, pathname);
    const route = target?.name ?? 'unknown';
    const start = clock.monotonic();
    let fault: Fault | undefined;
    const wire = new HttpWire(request, response, clock, (status) => {
      statistics.answered(status);
      const ms = Math.round(clock.monotonic() - start);
      const answer = status === 'cut' ? {} : { status };
      const id = target?.id ? { id: target.id } : {};
      settings.log?.({ at: clock.iso(), method, route, ...id, ...answer, ms, ...(fault && { fault: fault.fault }) });
    });
    statistics.arrived(route, target?.kind === 'agent' ? target.rateClass : undefined);

    const answer = async () => {
      const admission = gate.admit(request, pathname);
      if (method === 'OPTIONS')
        return wire.send({ status: 204, headers: { Allow: [...methodsOf(pathname), 'OPTIONS'].join(', ') } });
      const call = await readCall(service, request, admission, searchParams);
      const perform = () => replyOf(async () => handlers[admission.target.name](call));
      if (admission.target.kind === 'browser') return wire.send(await perform());
      const settled = service.payments.begin(paidSubject(admission, call));
      try {
        fault = faults.next(admission.target.name, (text) => isAbout(service, call, text));
        await (fault === undefined ? perform().then((reply) => wire.send(reply)) : suffer(fault, perform, wire, clock));
      } finally {
        settled();
      }
    };
    answer().catch((error: unknown) => {
      if (!(error instanceof ClientGone)) wire.send(errorReply(error));
    });
  };
}

async function readCall(
  { settings, shapes }: Service,
  request: IncomingMessage,
  { target, user }: Admission,
  params: URLSearchParams,
): Promise<Call> {
  const { id } = target;
  if (target.name === 'projects.uploadDocument') {
    const upload = await readUpload(request, shapes.names.upload, settings.documentLimit);
    return { user, id, query: new Query(new Map()), body: undefined, upload };
  }
  const body = await readJson(request, settings.bodyLimit);
  const query =
    target.kind === 'agent'
      ? readQuery(target.name, params, shapes.names, shapes.strictQuery)
      : new Query(new Map(params));
  return { user, id, query, body };
}

/** Whether a call is about what a text names; how, is with the option. */
function isAbout({ store }: Service, { user, id, body, upload }: Call, text: string): boolean {
  const projectId = store.jobs.get(user.id, id)?.projectId ?? id;
  if (id !== '' && (id === text || store.projects.get(user.id, projectId)?.clientName === text)) return true;
  if (store.captures.get(user.id, id)?.rawContent.includes(text)) return true;
  return upload?.fileName === text || (JSON.stringify(body) ?? '').includes(text);
}

/** What each paid call pays for; undefined where its body is refused. */
const SUBJECTS: Readonly<Record<PaidRoute, (call: Call) => string | undefined>> = {
  'leads.convert': ({ id }) => leadSubject(id),
  'projects.create'({ body }) {
    const project = NewProject.safeParse(body);
    return project.success ? projectSubject(project.data) : undefined;
  },
};

/** What a call pays for; undefined for one that costs nothing. */
const paidSubject = ({ target }: Admission, call: Call): string | undefined =>
  (SUBJECTS as Readonly<Partial<Record<string, (call: Call) => string | undefined>>>)[target.name]?.(call);

async function replyOf(perform: () => Promise<Reply>): Promise<Reply> {
  try {
    return await perform();
  } catch (error) {
    return errorReply(error);
  }
}

function errorReply(error: unknown): Reply {
  if (error instanceof Refusal) return error.reply();
  return { status: 500, body: { error: 'Internal error', details: String(error) } };
}
