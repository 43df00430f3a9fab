/**
 * A call that the program got wrong: an identifier, a query parameter or a body that the route does not take. Thrown
 * before anything is sent; the message names the call by method and path template and quotes no value (S4).
 */
export class InvalidCall extends Error {
  override readonly name = 'InvalidCall';

  constructor(call: { method: string; path: string }, problem: string) {
    super(`${call.method} ${call.path}: ${problem}`);
  }
}
