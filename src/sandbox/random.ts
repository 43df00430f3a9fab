/** Seeded randomness (sfc32): the same seed gives the same data, identifiers and faults. Nothing here is secret. */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export class Random {
  private a: number;
  private b: number;
  private c = 0x9e3779b9;
  private counter = 1;

  /** @param stream Keeps draws for one purpose from moving those for another. */
  constructor(seed: number, stream = 0) {
    this.a = seed | 0;
    this.b = stream | 0;
    for (let round = 0; round < 15; round++) this.bits();
  }

  /** 32 bits, as an unsigned integer. */
  private bits(): number {
    const sum = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    return this.bits() / 2 ** 32;
  }

  /** An integer in [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** A UUID of version 4. */
  uuid(): string {
    const hex = (value: number) => value.toString(16).padStart(8, '0');
    const [one, two, three] = [hex(this.bits()), hex(this.bits()), hex(this.bits())];
    const variant = (8 + this.below(4)).toString(16);
    return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-${variant}${three.slice(1, 4)}-${three.slice(4)}${hex(this.bits())}`;
  }

  base62(length: number): string {
    return Array.from({ length }, () => BASE62.charAt(this.below(62))).join('');
  }
}
