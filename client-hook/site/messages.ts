import type { SiteFile } from '../content.ts'
import type { Place } from './site-path.ts'

/** A page of the site, and which one of those that were opened it is: each reads its files with limits of its own. */
export interface OpenedPage extends SiteFile {
  number: number
}

/** What `/frame` asks the helper for: another page, or files that a page uses. */
export type HelperRequest = { id: number; open: string } | { id: number; page: number; paths: readonly string[] }

/** The answer: `undefined` for each file that there is none of; no page where there is none; a sentence where that failed. */
export type HelperAnswer =
  | { id: number; opened: OpenedPage | undefined }
  | { id: number; files: readonly (SiteFile | undefined)[] }
  | { id: number; failed: string }

/** What an empty document, the shell of a page of the site, is sent with the port to `/frame`: the script that it runs. */
export interface ShellMessage {
  siteScript: string
}

/** What `/frame` tells a document: the page to write, files that it asked for, or where to scroll to. */
export type ToPage =
  | { write: WrittenPage }
  | { id: number; files: readonly (SiteFile | undefined)[] }
  | { scroll: string }
  | { reload: number }

/** A page as text, or a file that is shown in its place. */
export interface WrittenPage {
  text: string
  /** Set where it is no page. */
  file?: SiteFile
  /** Where it lies, with the query and the fragment of the link to it. */
  here: Place
  /** Of its bytes, which its scripts and style sheets are in too where they do not say. */
  encoding: string
  complete: boolean
}

/** What a document tells `/frame`. A frame in it is named by its number in the order of the page. */
export type FromPage =
  | { id: number; paths: readonly string[] }
  | { written: true }
  | { failed: string }
  /** `replaces`: without an entry in the history, as it was no click. */
  | { open: Place; target: string; replaces?: boolean }
  | { away: string }
  | { left: true }
  /** Comes with the port of the document in that frame. */
  | { frame: number; name: string; open?: Place; html?: string }
