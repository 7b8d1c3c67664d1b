import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Where the command keeps things, by the XDG base directory specification. */
export interface UserFolders {
  /** Credentials and settings. */
  config: string
  /** What has been begun. */
  state: string
  /** What may be removed at any time. */
  cache: string
}

/** The folders of this user; a variable that is no absolute path does not count (XDG base directory specification). */
export function userFolders(env: Readonly<Record<string, string | undefined>>): UserFolders {
  const home = env.HOME ?? homedir()
  const folder = (variable: string | undefined, fallback: string) =>
    join(variable && isAbsolute(variable) ? variable : join(home, fallback), 'hookline')
  return {
    config: folder(env.XDG_CONFIG_HOME, '.config'),
    state: folder(env.XDG_STATE_HOME, join('.local', 'state')),
    cache: folder(env.XDG_CACHE_HOME, '.cache'),
  }
}
