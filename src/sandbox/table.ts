import type { Owned } from './rows';

/**
 * Rows by owner and ID, in order of insertion. A row of another user is not there: agent-api.md, "What the service does" 2.
 */
export class Table<R extends Owned> {
  private readonly owners = new Map<string, Map<string, R>>();

  add(row: R): R {
    let rows = this.owners.get(row.userId);
    if (rows === undefined) {
      rows = new Map();
      this.owners.set(row.userId, rows);
    }
    rows.set(row.id, row);
    return row;
  }

  get(userId: string, id: string): R | undefined {
    return this.owners.get(userId)?.get(id);
  }

  all(userId: string): R[] {
    return [...(this.owners.get(userId)?.values() ?? [])];
  }

  /** Whether there was such a row. */
  remove(userId: string, id: string): boolean {
    return this.owners.get(userId)?.delete(id) ?? false;
  }
}
