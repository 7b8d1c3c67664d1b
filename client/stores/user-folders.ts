import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The folders of the command (XDG base directory specification). */
export interface UserFolders {
  /** Credentials and settings. */
  config: string
  /** Orders in progress. */
  state: string
  /** May be deleted at any time. */
  cache: string
}

/** The folders of this user. A variable that is no absolute path is ignored (XDG base directory specification). */
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
