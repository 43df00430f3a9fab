import { LeadTable } from './lead-table';
import type { AssessmentConfig, Capture, Job, Loose, Project, Token, User } from './rows';
import { Table } from './table';

/** Everything that the stand-in remembers. */
export class Store {
  readonly users = new Map<string, User>();
  readonly leads = new LeadTable();
  readonly projects = new Table<Project>();
  readonly jobs = new Table<Job>();
  readonly captures = new Table<Capture>();
  readonly links = new Table<Loose>();
  readonly configs = new Table<AssessmentConfig>();
  readonly memories = new Table<Loose>();
  readonly contacts = new Table<Loose>();
  readonly insights = new Table<Loose>();
  readonly suggestions = new Table<Loose>();
  private readonly tokens = new Map<string, Token>();

  addToken(token: Token): Token {
    this.tokens.set(token.plaintext, token);
    return token;
  }

  token(plaintext: string): Token | undefined {
    return this.tokens.get(plaintext);
  }

  tokensOf(userId: string): Token[] {
    return [...this.tokens.values()].filter((token) => token.userId === userId);
  }

  /** The token counts towards the ten and opens the door: neither revoked nor expired. */
  isActive(token: Token, now: number): boolean {
    return token.revokedAt === null && (token.expiresAt === null || Date.parse(token.expiresAt) > now);
  }

  userOfSession(session: string): User | undefined {
    return [...this.users.values()].find((user) => user.session === session);
  }
}
