import { en } from './en.ts'

/** The texts of the console in the reader's language. */
export const texts = en
