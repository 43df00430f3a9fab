/** The next items of the lists, read from the storage a portion at a time. */
import type { Item } from '../../src/batches/items';
import { control } from '../shared/calls';
import type { WorkList } from './batch-state';

export class Feed {
  #taken: { list: WorkList; from: number; items: Item[] } | undefined;

  constructor(private readonly folder: string) {}

  /** The next item of a list, if it is read already. */
  peek(list: WorkList): Item | undefined {
    return this.#taken?.list === list ? this.#taken.items[list.next - this.#taken.from] : undefined;
  }

  /** @returns undefined when more had to be read: then it is looked again whether an item may be begun */
  async take(list: WorkList): Promise<Item | undefined> {
    const item = this.peek(list);
    if (item) return item;
    const { name, size, next: from } = list;
    const items = await control.takeItems({ folder: this.folder, list: name, size, from });
    if (items.length === 0) list.next = size;
    this.#taken = { list, from, items };
    return undefined;
  }
}
