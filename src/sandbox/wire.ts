import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from './clock';
import type { Wire } from './faults';
import type { Reply } from './refusal';

/** A connection of node:http. The first answer or cut ends it; `ended` is told its status, or `cut`. */
export class HttpWire implements Wire {
  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly clock: Clock,
    private readonly ended: (status: number | 'cut') => void,
  ) {
    // The skewed clock speaks in the `Date` header too.
    response.sendDate = false;
  }

  send({ status, body, headers = {} }: Reply): void {
    if (body === undefined) this.write(status, headers, '');
    else this.write(status, { ...headers, 'Content-Type': 'application/json; charset=utf-8' }, JSON.stringify(body));
  }

  sendText(status: number, contentType: string, text: string): void {
    this.write(status, { 'Content-Type': contentType }, text);
  }

  cut(): void {
    this.request.socket.destroy();
    this.ended('cut');
  }

  private write(status: number, headers: Record<string, string>, text: string): void {
    // What a refused client is still sending is read and dropped, so that it gets to see the answer.
    this.request.resume();
    const length: Record<string, string> = status === 204 ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    this.response.writeHead(status, { ...headers, ...length, Date: this.clock.date() }).end(text);
    this.ended(status);
  }
}
