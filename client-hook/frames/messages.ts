/**
 * What passes between the page, the shell of a frame's host (shell/shell.ts) and its worker (frame-worker/worker.ts). The shell
 * and the worker are those of the host, of whatever version: fields are only added.
 */

/** From the page to the shell, with a port for {@link ShellMessage}: which page of the site to open, by path, query, fragment. */
export interface OpenMessage {
  open: string
}

/**
 * From the shell to the page: it was reached; its worker runs; the site's page has loaded in it; or it cannot show one. `ask` is
 * a request of the worker, with a port for the {@link SiteAnswer}.
 */
export type ShellMessage =
  | { heard: true }
  | { ready: true }
  | { loaded: true }
  | { failed: string }
  | { ask: SiteRequest }

/** A request of the site for something on its own host. */
export interface SiteRequest {
  method: string
  /** Path and query, as in the URL. */
  path: string
  range: string | null
  /** Whether a document is to be shown. */
  isPage: boolean
}

/** The first message on the port of a request only says that it was heard; a background tab may never say it. */
export type AnswerMessage = { heard: true } | SiteAnswer

/** What the worker answers the browser with. */
export interface SiteAnswer {
  status: number
  headers: [name: string, value: string][]
  body: ArrayBuffer | null
}
