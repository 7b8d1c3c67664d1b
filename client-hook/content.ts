/** Verified bytes that can be shown. */
export interface Content {
  mediaType: string
  bytes: Uint8Array
  /**
   * Set if the bytes are one file of a directory that is shown as a site: all of its files, and the path of this one.
   */
  site?: Site
}

/** A directory that is shown as a site. */
interface Site {
  /** The page to open. */
  path: string
  files: SiteFile[]
  /** Source of the function that shows its pages in the frame. */
  script: string
}

/** A verified file of a site; `path` is relative to the site's root. */
export interface SiteFile {
  path: string
  mediaType: string
  bytes: Uint8Array
}
