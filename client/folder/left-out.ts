/** The file with patterns of paths that are left out, in a stored folder or in a folder below it. */
export const IGNORE_FILE = '.hooklineignore'

/** Never stored: private data, or what a package manager can install again. */
const LEFT_OUT: Record<string, string> = {
  '.git': 'a repository',
  node_modules: 'installed packages',
  [IGNORE_FILE]: 'it says what is left out',
  '.hookline.json': 'it says which site this is',
}
/** A dot name that websites need (RFC 8615). */
const ALWAYS_STORED = '.well-known'

/** What macOS and Windows write into folders and archives, in lower case. */
const DESKTOP_NAMES = new Set([
  '__macosx',
  '.ds_store',
  '.localized',
  '.spotlight-v100',
  '.trashes',
  '.fseventsd',
  'icon\r',
  'thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
  '$recycle.bin',
  'system volume information',
])

/** Whether a name is that of a file or folder that the desktop made, `._*` (AppleDouble) included. Pure. */
export function isDesktopFile(name: string): boolean {
  return DESKTOP_NAMES.has(name.toLowerCase()) || name.startsWith('._')
}

/** Why a name is left out at any depth; `undefined` if it is stored. Pure. */
export function whyLeftOut(name: string, hidden: boolean): string | undefined {
  if (isDesktopFile(name)) return 'a file of the desktop'
  const isHidden = name.startsWith('.') && name !== ALWAYS_STORED && !hidden
  return LEFT_OUT[name] ?? (isHidden ? 'hidden (its name begins with a dot)' : undefined)
}
