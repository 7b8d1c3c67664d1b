import type { Findings } from './ask-nodes.ts'
import type { Environment } from './environment.ts'
import type { WranglerResult } from './wrangler.ts'

/** The machine that a deployment runs on, so that the steps can be tested without Cloudflare. */
export interface DeployMachine {
  environment: Environment
  /** The environment's settings, parsed; `undefined` when there is no such file. */
  settings: Record<string, string | undefined> | undefined
  /** The settings of the other environments that have a file here, by their names. */
  others: Record<string, Record<string, string | undefined>>
  /** `wrangler.toml` as it is in the repository. */
  template: string
  /** Writes a file that only the operator can read; returns its path. */
  write: (name: string, text: string) => Promise<string>
  remove: (name: string) => Promise<void>
  /** The files that make the tables: their names in order, and what is in each. */
  migrations: { names: string[]; read: (name: string) => Promise<string> }
  /** Of the checkout, in hex; `undefined` outside of a checkout. */
  commit: string | undefined
  /** Asks Cloudflare, the nodes and the mail provider about the settings; `undefined` where there is no token. */
  preflight?: (() => Promise<Findings>) | undefined
  /** The folder with the checkpoints and their tiles, which may not be there. */
  proof: string
  /** Builds the page helper. */
  build: () => Promise<void>
  /** Runs Wrangler; what it prints is seen by the operator unless `quiet`. */
  wrangler: (args: string[], options?: { quiet?: boolean }) => Promise<WranglerResult>
  print: (line: string) => void
}
