/** Copies to R2 and to the edge wait so long (ms) for the reader to have the content: beside each other both are slower. */
export const READER_FIRST_MS = 50
