import type { Clock } from './clock';
import type { FaultRate, FaultRule } from './options';
import type { Random } from './random';
import { ok, type Reply } from './refusal';
import type { AgentRouteName } from './router';

/** What happens to one request. */
export type Fault = Omit<FaultRule, 'route' | 'times' | 'after' | 'about'>;

/** A connection, as faults need it. */
export interface Wire {
  send(reply: Reply): void;
  /** A body that is not what its content type says, or not JSON at all. */
  sendText(status: number, contentType: string, text: string): void;
  /** Destroys the connection. */
  cut(): void;
}

/** Which fault, if any, happens to the next request of a route. */
export class Faults {
  private queue: FaultRule[] = [];
  private rate: FaultRate | undefined;
  /** Faults that happened, in order. */
  readonly happened: { route: AgentRouteName; about?: string; fault: Fault['fault']; at: string }[] = [];

  constructor(
    private readonly random: Random,
    private readonly clock: Clock,
  ) {}

  add(rule: FaultRule): void {
    this.queue.push({ ...rule });
  }

  setRate(rate: FaultRate | undefined): void {
    this.rate = rate;
  }

  /** Forgets the queue and the rate, or only what is queued about something. */
  clear(about?: string): void {
    this.queue = this.queue.filter((rule) => about !== undefined && rule.about !== about);
    if (about === undefined) this.rate = undefined;
  }

  /** @param isAbout whether the request is about what a rule names */
  next(route: AgentRouteName, isAbout: (text: string) => boolean): Fault | undefined {
    const rule = this.fromQueue(route, isAbout);
    const fault = rule ?? this.atRandom(route);
    const about = rule?.about !== undefined && { about: rule.about };
    if (fault !== undefined) this.happened.push({ route, ...about, fault: fault.fault, at: this.clock.iso() });
    return fault;
  }

  private fromQueue(route: AgentRouteName, isAbout: (text: string) => boolean): FaultRule | undefined {
    const rule = this.queue.find(
      (queued) => queued.route === route && (queued.about === undefined || isAbout(queued.about)),
    );
    if (rule === undefined) return undefined;
    if (rule.after > 0) {
      rule.after--;
      return undefined;
    }
    rule.times--;
    if (rule.times === 0) this.queue.splice(this.queue.indexOf(rule), 1);
    return rule;
  }

  private atRandom(route: AgentRouteName): Fault | undefined {
    if (this.rate === undefined || !this.rate.routes.includes(route) || !this.random.chance(this.rate.share))
      return undefined;
    const fault = this.rate.faults[this.random.below(this.rate.faults.length)];
    return fault === undefined ? undefined : { ...this.rate, fault };
  }
}

/** Lets a fault happen. @param commit Performs the call; refusals are replies. */
export async function suffer(fault: Fault, commit: () => Promise<Reply>, wire: Wire, clock: Clock): Promise<void> {
  switch (fault.fault) {
    case 'replyLost':
      await commit();
      return wire.cut();
    case 'cutThenCommit':
      wire.cut();
      await clock.sleep(fault.commitAfterMs);
      await commit();
      return;
    case 'cutBeforeCommit':
      return wire.cut();
    case 'delay':
      await clock.sleep(fault.delayMs);
      return wire.send(await commit());
    case 'delayReply': {
      const reply = await commit();
      await clock.sleep(fault.delayMs);
      return wire.send(reply);
    }
    case 'status':
      return wire.send(errorReply(fault, clock));
    case 'statusAfterCommit':
      await commit();
      return wire.send(errorReply(fault, clock));
    case 'instead':
      return wire.send(ok(fault.body));
    case 'html':
      return wire.sendText(502, 'text/html; charset=utf-8', '<html><body><h1>502 Bad Gateway</h1></body></html>');
    case 'empty': {
      const { status, body, ...reply } = await commit();
      return wire.send(status < 300 ? { ...reply, status } : { ...reply, status, body });
    }
    case 'garbage': {
      const reply = await commit();
      if (reply.status >= 300) return wire.send(reply);
      const text = JSON.stringify(reply.body ?? {});
      return wire.sendText(reply.status, 'application/json; charset=utf-8', text.slice(0, Math.ceil(text.length / 2)));
    }
  }
}

function errorReply({ status, code, retryAfter, retryAfterForm }: Fault, clock: Clock): Reply {
  const error = status === 429 ? 'Rate limit exceeded' : 'Something went wrong';
  const body = { error, ...(code !== undefined && { code }) };
  if (retryAfter === undefined) return { status, body };
  const value =
    retryAfterForm === 'seconds' ? String(retryAfter) : new Date(clock.wall() + retryAfter * 1000).toUTCString();
  return { status, body, headers: { 'Retry-After': value } };
}
