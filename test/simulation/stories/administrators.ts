/** What administrators do to the storage and to Temporal's database, and put right again. */
import { Entry } from '../../../src/books/entry';
import { hashAfter } from '../../../src/books/journal';
import { mend } from '../../../src/books/mending';
import { Standing } from '../../../src/books/standing';
import { parseStored } from '../../../src/storage/stored-json';
import type { Run } from '../engine/run';
import { STORAGE_TROUBLES } from '../worker/storage';
import { type Act, LOSSES } from './plan';
import type { Scene } from './scene';

export class Administrators {
  /** The books in the storage went back to a backup, and the newest are lost. */
  areBooksLost = false;
  /** And so does the ledger. */
  areBothLost = false;
  /** And by so many credits at least the balance is lower then than the books explain. */
  unexplained = 0;
  /** Documents that were damaged, and what puts them right again. */
  readonly damaged = new Map<string, () => void>();
  /** Runs of which Temporal knows nothing any more. */
  readonly gone = new Set<Run>();

  constructor(private readonly scene: Scene) {}

  /** What was paid before there were books nobody but the ledger knows, until they begin with it. */
  get isLedgerAlone(): boolean {
    const { misfortunes, storage } = this.scene;
    const hasBooks = storage.books().some(([ref]) => ref.includes('/entries/'));
    return !storage.areBooksKept || (misfortunes.happened.has('beginBooks') && !hasBooks);
  }

  storageAway(which: number, later: (then: () => void) => void): boolean {
    const { storage } = this.scene;
    storage.trouble = STORAGE_TROUBLES[which % STORAGE_TROUBLES.length];
    later(() => {
      storage.trouble = undefined;
    });
    return true;
  }

  setBooksBack(which: number, later: (then: () => void) => void): boolean {
    const putBack = this.scene.storage.setBooksBack((which % 10) / 10);
    // Some operators stop the workers first.
    if (which % 3 > 0) this.killAll('the storage goes back to a backup');
    this.areBooksLost = which % 2 === 0;
    if (!this.areBooksLost)
      later(() => {
        this.areBooksLost = putBack();
        this.killAll('the newest books are put back');
      });
    return true;
  }

  /** Temporal is empty, and the books are those of a backup: of what was paid since only the balance tells. */
  loseBoth(which: number): void {
    const { control, server, storage, world } = this.scene;
    this.killAll('Temporal and the storage are lost');
    storage.setBooksBack(0.5 + (which % 5) / 10);
    this.areBooksLost = true;
    this.areBothLost = true;
    server.lose();
    this.scene.lostAt = world.now;
    const { said, bookedSinceNote, reserved } = this.#books();
    if (said.balance && bookedSinceNote !== undefined)
      this.unexplained = said.balance.value - bookedSinceNote - reserved - control.credits().credits;
  }

  /** What the books come to. */
  #books() {
    const standing = new Standing('UTC');
    for (const [ref, document] of this.scene.storage.books().sort()) {
      const line = document.toString();
      const entry = ref.includes('/entries/') ? parseStored(line, Entry) : undefined;
      if (entry) standing.apply(entry, hashAfter(entry, line));
    }
    const { said, bookedSinceNote } = standing;
    return { said, bookedSinceNote, reserved: standing.reserved(this.scene.world.now) };
  }

  /** From now on there are books. What Temporal has lost before, they would not know. */
  beginBooks(): boolean {
    const { misfortunes, storage } = this.scene;
    if (LOSSES.some((loss) => misfortunes.happened.has(loss))) return false;
    storage.areBooksKept = true;
    this.killAll('the version with books comes');
    return true;
  }

  damageDocument(which: number, later: (then: () => void) => void): boolean {
    const { ref, mend: putRight } = this.scene.storage.damage(which, this.damaged) ?? {};
    if (!ref || !putRight) return false;
    this.scene.world.tell(`${ref} is damaged`);
    this.damaged.set(ref, putRight);
    later(putRight);
    // Whoever starts reads it.
    if (which % 2 === 0) this.killAll('a backup is put back');
    return true;
  }

  /** Takes a backup, and goes back to it later. @param then begins again what is gone by that */
  setTemporalBack(what: Act['what'], later: (then: () => void) => void, then: () => void): boolean {
    const { misfortunes, server, world } = this.scene;
    const back = server.backUp();
    later(() => {
      if (misfortunes.areOver || this.isLedgerAlone) return;
      world.tell('Temporal goes back to a backup');
      this.scene.lapses.turns.push(world.now);
      misfortunes.note(what);
      this.scene.lostAt = world.now;
      for (const run of back()) this.gone.add(run);
      then();
    });
    return false;
  }

  /** At last all is as it should be; of the books as much as there is, without workers, and without what has no copy. */
  async putRight(): Promise<void> {
    const { storage, ledgerId, world } = this.scene;
    storage.trouble = undefined;
    storage.showAll();
    for (const putRight of this.damaged.values()) putRight();
    if (!this.areBooksLost) return;
    this.killAll('the books are restored');
    const user = ledgerId.replace('account-ledger.', '');
    const how = { givesUpLost: true, now: world.now, sealedWithinMs: 0 };
    await world.hold(() => mend(storage.storage, user, new Standing('UTC'), how));
  }

  killAll(why: string): void {
    for (const worker of this.scene.server.workers.filter(({ alive }) => alive)) this.scene.kill(worker, why);
  }
}
