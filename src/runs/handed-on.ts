/** What a run hands to the one that it continues as. */
export interface HandedOn<T> {
  /** The first run of those that continue each other. */
  of: string;
  state: T;
}
