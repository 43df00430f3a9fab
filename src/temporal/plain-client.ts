import { Client } from '@temporalio/client';

/** A client whose payloads everybody can read, for what holds nothing secret: the Web UI has no key. */
export const plainClient = ({ connection, options: { namespace } }: Client): Client =>
  new Client({ connection, namespace });
