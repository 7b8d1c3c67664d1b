/** What patterns stand in, in a folder that is stored and in those below it. */
export const IGNORE_FILE = '.hooklineignore'

/** Never stored: they hold what is nobody's business, or what a package manager brings again. */
const LEFT_OUT: Record<string, string> = {
  '.git': 'a repository',
  node_modules: 'installed packages',
  '.DS_Store': 'a file of the desktop',
  'Thumbs.db': 'a file of the desktop',
  'desktop.ini': 'a file of the desktop',
  [IGNORE_FILE]: 'it says what is left out',
  '.hookline.json': 'it says which site this is',
}
/** Hidden by convention of the web, and needed by it (RFC 8615). */
const KEPT = '.well-known'

/** Why a name is left out wherever it stands; `undefined` for one that is not. Pure. */
export function whyLeftOut(name: string, hidden: boolean): string | undefined {
  const isHidden = name.startsWith('.') && name !== KEPT && !hidden
  return LEFT_OUT[name] ?? (isHidden ? 'hidden (its name begins with a dot)' : undefined)
}
