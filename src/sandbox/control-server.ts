import type { RequestListener } from 'node:http';
import { ZodError, z } from 'zod';
import { readJson } from './body';
import type { Control } from './control';
import { Refusal } from './refusal';

const BODY_LIMIT = 1024 * 1024;

/** The control surface over HTTP: `POST /{operation}`; `GET` for those without input, for example `/stats`. */
export function controlServer(control: Control): RequestListener {
  const operations = new Map<string, { fromJson(body: unknown): unknown }>(Object.entries(control));

  return (request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    const answer = async () => {
      const name = (request.url ?? '/').slice(1);
      const operation = operations.get(name);
      if (operation === undefined)
        throw new Refusal(404, `No operation '${name}'; there are ${[...operations.keys()].join(', ')}`);
      send(200, operation.fromJson(await readJson(request, BODY_LIMIT)));
    };
    answer().catch((error: unknown) => {
      if (error instanceof Refusal) send(error.status, { error: error.message });
      else if (error instanceof ZodError) send(400, { error: z.prettifyError(error) });
      else send(500, { error: String(error) });
    });
  };
}
