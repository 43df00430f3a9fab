import type { RequestListener } from 'node:http';
import { ZodError, z } from 'zod';
import { readJson, refuseOtherThanJson } from './body';
import type { Control, Operation } from './control';
import { Refusal } from './refusal';

const BODY_LIMIT = 1024 * 1024;

/**
 * The control surface over HTTP: `POST /{operation}` with JSON; `GET` for those that only look, for example `/stats`. A page
 * that is shown on this machine could send any other form of POST, and any GET.
 */
export function controlServer(control: Control): RequestListener {
  const operations = new Map<string, Pick<Operation<z.ZodType, unknown>, 'fromJson' | 'isReading'>>(
    Object.entries(control),
  );

  return (request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    const answer = async () => {
      const name = (request.url ?? '/').slice(1);
      const operation = operations.get(name);
      if (operation === undefined)
        throw new Refusal(404, `No operation '${name}'; there are ${[...operations.keys()].join(', ')}`);
      if (!(request.method === 'GET' && operation.isReading)) {
        if (request.method !== 'POST') throw new Refusal(405, `'${name}' is done with POST`);
        refuseOtherThanJson(request);
      }
      send(200, operation.fromJson(await readJson(request, BODY_LIMIT)));
    };
    answer().catch((error: unknown) => {
      if (error instanceof Refusal) send(error.status, { error: error.message });
      else if (error instanceof ZodError) send(400, { error: z.prettifyError(error) });
      else send(500, { error: String(error) });
    });
  };
}
