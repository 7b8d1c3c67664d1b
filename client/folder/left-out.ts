/** The file with patterns of paths that are left out, in a stored folder or in a folder below it. */
export const IGNORE_FILE = '.hooklineignore'

/** Never stored: private data, or what a package manager can install again. */
const LEFT_OUT: Record<string, string> = {
  '.git': 'a repository',
  node_modules: 'installed packages',
  '.DS_Store': 'a file of the desktop',
  'Thumbs.db': 'a file of the desktop',
  'desktop.ini': 'a file of the desktop',
  [IGNORE_FILE]: 'it says what is left out',
  '.hookline.json': 'it says which site this is',
}
/** A dot name that websites need (RFC 8615). */
const ALWAYS_STORED = '.well-known'

/** Why a name is left out at any depth; `undefined` if it is stored. Pure. */
export function whyLeftOut(name: string, hidden: boolean): string | undefined {
  const isHidden = name.startsWith('.') && name !== ALWAYS_STORED && !hidden
  return LEFT_OUT[name] ?? (isHidden ? 'hidden (its name begins with a dot)' : undefined)
}
