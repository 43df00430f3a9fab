/** `audit-runner/encryption`: how a program of one's own reads and writes the data of runs where encryption is on. */
export { dataConverter } from './encryption';
export { namesMessages } from './message-names';
