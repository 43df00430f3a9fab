/** What a form is made of. Nothing here knows how audit-runner reads: the sandbox speaks plainly, and a proxy rewrites it. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A request on its way to the sandbox. */
export interface Asking {
  readonly method: string;
  /** Without the query, as it arrived; identifiers are still encoded. */
  path: string;
  query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of a body that is JSON. */
  json?: Json;
  body: Buffer;
  contentType: string;
}

/** An answer that says more than its JSON. */
export class Answer {
  constructor(
    readonly status: number,
    /** JSON, or bytes as they are; undefined is no body. */
    readonly body?: Json | Buffer,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** What a service does differently. It is made anew for each case, so it may remember. */
export interface Wire {
  /** The request as the sandbox takes it, or the answer that refuses it. */
  request?(asking: Asking): Asking | Answer;
  /**
   * A success as this service puts it.
   * @param plain the record, or the whole list, as the sandbox shows it
   * @param asking as it arrived
   */
  reply?(plain: Json, asking: Asking): Json | Answer;
  /** A refusal as this service puts it. */
  refusal?(status: number, sentence: string, asking: Asking): Json | Answer;
  /** How this service writes an identifier of the sandbox. @default as it is */
  idOf?(id: string): string;
}

/** What identifiers of other things begin with, where a form puts them beside the one that counts. */
export const FOREIGN = 'foreign-';

/** One way in which a service may decide an open point. */
export interface Form {
  /** The open point, as in {@link points}. */
  readonly point: string;
  readonly name: string;
  wire(): Wire;
  /**
   * What somebody who knows the service writes into the setting that an error names; by the setting's last word where
   * several are needed. Never which setting that is: the error has to say it.
   */
  readonly knows?: string | null | Readonly<Record<string, string | null>>;
  /** Nobody but a person can tell what became of a lost reply: the run may ask. */
  readonly asks?: boolean;
  /** One record cannot be decided on: it is left out, and the result gives this reason. */
  readonly skips?: string;
  /** Credits that a reply says of one paid call, where they are not those that are deducted. */
  readonly says?: number;
  /** Of what the service has, where that is part of the form. */
  readonly has?: { projects?: number; leads?: number };
  /** The first audit fails at the service: another one is started. */
  readonly fails?: boolean;
}

type More = Pick<Form, 'knows' | 'asks' | 'skips' | 'says' | 'has' | 'fails'>;

/** A form of a reply. */
export const reply = (point: string, name: string, put: NonNullable<Wire['reply']>, more: More = {}): Form => ({
  ...{ point, name, wire: () => ({ reply: put }) },
  ...more,
});

/** A form of what is asked. */
export const request = (point: string, name: string, take: NonNullable<Wire['request']>, more: More = {}): Form => ({
  ...{ point, name, wire: () => ({ request: take }) },
  ...more,
});

/** A form of both, or one that remembers. */
export const form = (point: string, name: string, wire: () => Wire, more: More = {}): Form => ({
  ...{ point, name, wire },
  ...more,
});
