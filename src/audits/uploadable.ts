/** Which documents can be uploaded, in sentences for a person. Agent-api.md shows no limits; these are sensible ones. */

/** A document as a run names it. */
export interface DocumentChoice {
  readonly ref: string;
  /** @default the last part of `ref` */
  readonly fileName?: string | undefined;
  /** @default by the ending of the file's name */
  readonly fileType?: string | undefined;
}

/** A document that can be uploaded. */
export interface AuditDocument {
  readonly ref: string;
  readonly fileName: string;
  /** Media type. */
  readonly fileType: string;
  /** Bytes. */
  readonly size: number;
  /** Hash of the name, for the ledger. */
  readonly nameHash: string;
}

/** Largest document, bytes. */
export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;
const MAX_NAME = 255;

const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  rtf: 'application/rtf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

export const nameOf = ({ ref, fileName }: DocumentChoice): string => fileName ?? ref.slice(ref.lastIndexOf('/') + 1);

const ending = (name: string) => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** The media type, or undefined when the name does not tell. */
export const typeOf = (choice: DocumentChoice): string | undefined => choice.fileType ?? TYPES[ending(nameOf(choice))];

/**
 * What is wrong with a document; nothing when it can be uploaded.
 * @param says which it is, as the sentences say it: by its place where they are kept, since a file may be called after a person (S4)
 * @param size bytes; undefined when it is not there
 */
export function problemsOf(choice: DocumentChoice, says: string, size: number | undefined): string[] {
  const name = nameOf(choice);
  return [
    ...(size === undefined ? [`${says} is not in the storage; put it there, or correct its reference.`] : []),
    ...(size === 0 ? [`${says} is empty; there is nothing to upload.`] : []),
    ...(size !== undefined && size > MAX_DOCUMENT_BYTES
      ? [`${says} has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} can be uploaded.`]
      : []),
    ...(name.length > MAX_NAME ? [`${says} has a name of ${name.length} characters; at most ${MAX_NAME}.`] : []),
    ...(typeOf(choice) === undefined
      ? [
          `${says} is of a kind that its name does not tell; give its fileType, or a name that ends in one of ${Object.keys(TYPES).join(', ')}.`,
        ]
      : []),
  ];
}

/** How a document of an input's list is called in a sentence. */
export const byPlace = (index: number): string => `documents[${index}]`;

/** Documents that could not be told apart once they are uploaded. */
export function doubledNames(choices: readonly DocumentChoice[], says: (index: number) => string): string[] {
  const names = choices.map(nameOf);
  return names.flatMap((name, i) => {
    const first = names.indexOf(name);
    return first === i ? [] : [`${says(first)} and ${says(i)} have the same name; give one of them another fileName.`];
  });
}
