/** The next items of the lists, read from the storage a portion at a time. */
import type { Item } from '../../src/batches/items';
import { control } from '../shared/calls';
import type { WorkList } from './batch-state';

export class Feed {
  readonly #taken = new Map<WorkList, { from: number; items: Item[] }>();
  #keepsAll = false;

  constructor(private readonly folder: string) {}

  /** The next item of a list, if it is read already. */
  peek(list: WorkList): Item | undefined {
    const taken = this.#taken.get(list);
    return taken?.items[list.next - taken.from];
  }

  /** From now on what is read of one list stays while another is read: else two that take turns are read again and again. */
  keepAll(): void {
    this.#keepsAll = true;
  }

  /** @returns undefined when more had to be read: then it is looked again whether an item may be begun */
  async take(list: WorkList): Promise<Item | undefined> {
    const item = this.peek(list);
    if (item) return item;
    const { name, size, next: from } = list;
    const items = await control.takeItems({ folder: this.folder, list: name, size, from });
    if (items.length === 0) list.next = size;
    if (!this.#keepsAll) this.#taken.clear();
    this.#taken.set(list, { from, items });
    return undefined;
  }
}
