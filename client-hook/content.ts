/** Verified bytes that can be shown. */
export interface Content {
  mediaType: string
  bytes: Uint8Array
  /** Set if the bytes are a page of a directory that is shown as a site. */
  site?: Site
}

/** A directory that is shown as a site. */
interface Site {
  /** The CID of the directory. */
  root: string
  /** Query and fragment of the page, as its element names them. */
  place: string
  /** The page that the bytes are. */
  path: string
  /** Whether all files are here already, so that nothing is saved by leaving out what a page does not use. */
  complete: boolean
  /**
   * The verified file at a path, or the index.html of the directory there; undefined if there is neither, or if the page
   * has already read as much as one page may.
   */
  read(path: string): Promise<SiteFile | undefined>
  /** Another page of the site, with limits of its own. Rejects if there is none. */
  open(path: string): Promise<Content>
}

/** Media whose parts are read and verified one by one. */
export interface Media {
  /** Names it. */
  root: string
  /** Bytes of the whole. */
  size: number
  /** The bytes from `start` to `end`, both included and within it. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** A verified file of a site; `path` is relative to the site's root. */
export interface SiteFile {
  path: string
  mediaType: string
  bytes: Uint8Array
  /** In place of the bytes, which are none then. */
  media?: Media
}
